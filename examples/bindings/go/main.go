// SPDX-License-Identifier: LGPL-2.1-or-later

// fasp-app sends a file out of this program's memory through faspsink, as fast as the line has room for, or receives
// one through faspsrc into it. The same program in other languages is beside this one; they run against each other
// (../check). It ends with the code of the error (docs/applications.md).
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/go-gst/go-glib/glib"
	"github.com/go-gst/go-gst/gst"
	"github.com/go-gst/go-gst/gst/app"
)

const pictures = 50 // per second

type fasp struct {
	*gst.Element
	sends    bool
	bitrate  atomic.Uint64 // of the encoder
	received []byte
}

func (f *fasp) onElement(s *gst.Structure) {
	switch v := s.Values(); s.Name() {
	case "connection-added":
		fmt.Println("connected", v["address-string"], v["peer-key"])
	case "connection-removed":
		fmt.Println("gone", v["address-string"], v["reason"])
	case "fasp-available-bitrate":
		f.bitrate.Store(v["bitrate"].(uint64))
		fmt.Println("available", v["bitrate"])
	case "application/x-fasp-statistics":
		f.printPeers(s)
	}
}

// valueArray is GLib's GValueArray, which this version of go-gst hands over as a pointer.
type valueArray struct {
	n      uint32
	values unsafe.Pointer
}

const sizeOfGValue = 24

func (f *fasp) printPeers(stats *gst.Structure) {
	peers := []*gst.Structure{stats} // of the last peer, the figures remain in the structure itself
	pointer, _ := stats.GetValue("callers")
	if callers := (*valueArray)(pointer.(unsafe.Pointer)); callers.n > 0 {
		peers = nil
		for i := range int(callers.n) {
			value, _ := glib.ValueFromNative(unsafe.Add(callers.values, i*sizeOfGValue)).GoValue()
			peers = append(peers, value.(*gst.Structure))
		}
	}
	name := map[bool]string{true: "bytes-acknowledged", false: "bytes-received"}[f.sends]
	for _, peer := range peers {
		if v := peer.Values(); v["caller-address-string"] != nil { // else no peer has been there
			fmt.Printf("peer %s %s=%d rtt-ms=%.1f\n", v["caller-address-string"], name, v[name], v["rtt-ms"])
		}
	}
}

// onError returns the error's code. This version of go-gst hides it: what became of the peer is in the details.
func (f *fasp) onError(message *gst.Message) gst.ErrorCode {
	defer runtime.KeepAlive(message) // its structure is its own
	fmt.Println("error", message.ParseError().Message())
	details := message.GetStructure()
	if details == nil {
		return gst.ResourceErrorFailed
	}
	switch reason, _ := details.GetValue("reason-code"); reason {
	case uint(4), uint(8), uint(9): // refused, key, encryption
		return gst.ResourceErrorNotAuthorized
	}
	return map[bool]gst.ErrorCode{true: gst.ResourceErrorWrite, false: gst.ResourceErrorRead}[f.sends]
}

// feed is the encoder, in a goroutine of its own: appsrc holds it up while faspsink takes no more.
func (f *fasp) feed(source *app.Source, data []byte) {
	for len(data) > 0 {
		time.Sleep(time.Second / pictures)
		size := min(len(data), int(f.bitrate.Load()/8/pictures))
		if source.PushBuffer(gst.NewBufferFromBytes(data[:size])) != gst.FlowOK {
			break
		}
		data = data[size:]
	}
	source.EndStream()
}

// take runs in the thread of the stream.
func (f *fasp) take(sink *app.Sink) gst.FlowReturn {
	sample := sink.PullSample()
	if sample == nil {
		return gst.FlowEOS
	}
	f.received = append(f.received, sample.GetBuffer().Bytes()...)
	return gst.FlowOK
}

func run(allow *string, rate uint64, action, address, path, settings string) (gst.ErrorCode, error) {
	line := "faspsrc name=fasp stats-interval=100 " + settings + " ! appsink name=app sync=false"
	if action == "send" {
		line = "appsrc name=app block=true max-bytes=65536 ! faspsink name=fasp stats-interval=100 " + settings
	}
	pipeline, err := gst.NewPipelineFromString(line)
	if err != nil {
		return 1, err
	}
	element, _ := pipeline.GetElementByName("fasp")
	end, _ := pipeline.GetElementByName("app")
	f := &fasp{Element: element, sends: action == "send"}
	f.SetProperty("uri", address)
	f.bitrate.Store(1000000)
	if allow != nil {
		// in the network's thread, and the caller waits for the answer
		f.Connect("caller-identified", func(_ *gst.Element, address, _, key, _ string) bool {
			admit := key != "" && key == *allow
			fmt.Println(map[bool]string{true: "admitted", false: "turned away"}[admit], address, key)
			return admit
		})
	}
	if why, _ := f.Emit("check-settings"); why != nil && why != "" {
		return gst.ResourceErrorSettings, fmt.Errorf("%s", why)
	}
	if f.sends {
		data, err := os.ReadFile(path)
		if err != nil {
			return 1, err
		}
		go f.feed(app.SrcFromElement(end), data)
	} else {
		app.SinkFromElement(end).SetCallbacks(&app.SinkCallbacks{NewSampleFunc: f.take})
	}
	if rate > 0 {
		time.AfterFunc(time.Second/2, func() {
			f.SetProperty("max-bitrate", rate)
			rate, _ := f.GetProperty("max-bitrate")
			fmt.Println("rate", rate)
		})
	}
	pipeline.SetState(gst.StatePlaying) // if it fails, the error is on the bus
	status := f.follow(pipeline.GetBus())
	pipeline.SetState(gst.StateNull)
	if !f.sends {
		err = os.WriteFile(path, f.received, 0o666)
	}
	return status, err
}

// follow plays until the end of the stream, or an error.
func (f *fasp) follow(bus *gst.Bus) gst.ErrorCode {
	for {
		message := bus.TimedPop(gst.ClockTimeNone)
		switch message.Type() {
		case gst.MessageEOS:
			return 0
		case gst.MessageError:
			return f.onError(message)
		case gst.MessageWarning:
			fmt.Println("warning", message.ParseWarning().Message())
		case gst.MessageElement:
			if message.Source() == "fasp" {
				f.onElement(message.GetStructure())
			}
		}
		runtime.KeepAlive(message) // its structure is its own
	}
}

func main() {
	var allow *string // an empty one admits no peer
	flag.Func("allow", "listener: admit only callers with this public `KEY`", func(key string) error {
		allow = &key
		return nil
	})
	rate := flag.Uint64("rate", 0, "send: max-bitrate, from half a second on")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "Usage: fasp-app [OPTION]... send|receive fasp://[HOST]:PORT FILE [PROPERTY=VALUE]...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if action := flag.Arg(0); flag.NArg() < 3 || action != "send" && action != "receive" {
		flag.Usage()
		os.Exit(2)
	}
	gst.Init(nil)
	status, err := run(allow, *rate, flag.Arg(0), flag.Arg(1), flag.Arg(2), strings.Join(flag.Args()[3:], " "))
	if err != nil {
		fmt.Fprintln(os.Stderr, "fasp-app:", err)
		status = max(status, 1)
	}
	os.Exit(int(status))
}
