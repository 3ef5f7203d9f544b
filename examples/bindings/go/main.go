// SPDX-License-Identifier: LGPL-2.1-or-later

// fasp-app sends a file out of this program's memory through faspsink, or receives one through faspsrc into it.
// The same program in other languages is beside this one; they run against each other (../check).
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/go-gst/go-glib/glib"
	"github.com/go-gst/go-gst/gst"
	"github.com/go-gst/go-gst/gst/app"
)

const (
	usage = `Usage: fasp-app send|receive fasp://[HOST]:PORT FILE
           [--allow KEY]... [--rates N,N...] [--encode] [PROPERTY=VALUE]...`
	chunk    = 16384
	pictures = 50 // per second
)

type arguments struct {
	action, address, file string
	settings, allow       []string
	rates                 []uint64
	encode                bool
}

func parse(words []string) (args arguments, err error) {
	var places []string
	for ; len(words) > 0; words = words[1:] {
		switch word := words[0]; {
		case word == "--encode":
			args.encode = true
		case strings.HasPrefix(word, "--") && len(words) < 2:
			return args, errors.New(usage)
		case word == "--allow":
			words = words[1:]
			args.allow = append(args.allow, words[0])
		case word == "--rates":
			words = words[1:]
			for _, text := range strings.Split(words[0], ",") {
				rate, err := strconv.ParseUint(text, 10, 64)
				if err != nil {
					return args, err
				}
				args.rates = append(args.rates, rate)
			}
		default:
			places = append(places, word)
		}
	}
	if len(places) < 3 || places[0] != "send" && places[0] != "receive" {
		return args, errors.New(usage)
	}
	args.action, args.address, args.file, args.settings = places[0], places[1], places[2], places[3:]
	return args, nil
}

type fasp struct {
	arguments
	element *gst.Element
	bitrate atomic.Uint64 // of the encoder
}

// field is that of the name, or the zero of its type if there is none.
func field[T any](s *gst.Structure, name string) (value T) {
	if any, err := s.GetValue(name); err == nil {
		value, _ = any.(T)
	}
	return value
}

// onIdentified runs in the network's thread, and the caller waits for the answer.
func (f *fasp) onIdentified(_ *gst.Element, address, _, key, _ string) bool {
	admit := slices.Contains(f.allow, key)
	fmt.Println(map[bool]string{true: "admitted", false: "turned away"}[admit], address, key)
	return admit
}

func (f *fasp) onElement(s *gst.Structure) {
	switch s.Name() {
	case "connection-added":
		fmt.Println("connected", field[string](s, "address-string"), field[string](s, "peer-name"))
	case "connection-removed":
		fmt.Println("gone", field[string](s, "address-string"), field[uint](s, "reason-code"), field[string](s, "reason"))
	case "fasp-available-bitrate":
		f.bitrate.Store(field[uint64](s, "bitrate")) // here, set that of an encoder
		fmt.Println("available", f.bitrate.Load())
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
	if callers := (*valueArray)(field[unsafe.Pointer](stats, "callers")); callers != nil && callers.n > 0 {
		peers = nil
		for i := range int(callers.n) {
			value, _ := glib.ValueFromNative(unsafe.Add(callers.values, i*sizeOfGValue)).GoValue()
			peers = append(peers, value.(*gst.Structure))
		}
	}
	bytes, packets := "bytes-received", "packets-received-lost"
	if f.action == "send" {
		bytes, packets = "bytes-acknowledged", "packets-retransmitted"
	}
	for _, peer := range peers {
		if address := field[string](peer, "caller-address-string"); address != "" { // else nobody has been there
			fmt.Printf("peer %s %s=%d %s=%d rtt-ms=%.1f\n", address, bytes, field[uint64](peer, bytes),
				packets, field[uint64](peer, packets), field[float64](peer, "rtt-ms"))
		}
	}
}

// onError returns the exit code. This version of go-gst hides the code of an error: the reason is in its details.
func (f *fasp) onError(message *gst.Message) int {
	details := message.GetStructure()
	reason := uint(0)
	if details != nil {
		reason = field[uint](details, "reason-code")
	}
	fmt.Println("error", reason, message.ParseError().Message())
	switch reason {
	case 0: // no peer has to do with it
		return 4
	case 4, 8, 9: // refused, key, encryption
		return 5
	default:
		return 6
	}
}

// feed runs in a goroutine of its own: appsrc holds it up while faspsink takes no more.
func (f *fasp) feed(source *app.Source, file io.Reader) {
	for data := make([]byte, chunk); ; {
		if f.encode {
			time.Sleep(time.Second / pictures)
			data = make([]byte, f.bitrate.Load()/8/pictures) // a picture
			if len(data) == 0 {
				continue // nobody is there yet
			}
		}
		n, err := io.ReadFull(file, data)
		if n > 0 && source.PushBuffer(gst.NewBufferFromBytes(data[:n])) != gst.FlowOK || err != nil {
			break
		}
	}
	source.EndStream()
}

// take runs in the thread of the stream.
func take(sink *app.Sink, file io.Writer) gst.FlowReturn {
	sample := sink.PullSample()
	if sample == nil {
		return gst.FlowEOS
	}
	if _, err := file.Write(sample.GetBuffer().Bytes()); err != nil {
		return gst.FlowError
	}
	return gst.FlowOK
}

func (f *fasp) run() (int, error) {
	settings := strings.Join(f.settings, " ")
	line := "faspsrc name=fasp stats-interval=100 " + settings + " ! appsink name=app sync=false"
	if f.action == "send" {
		line = "appsrc name=app block=true max-bytes=65536 ! faspsink name=fasp stats-interval=100 " + settings
	}
	pipeline, err := gst.NewPipelineFromString(line)
	if err != nil {
		return 1, err
	}
	f.element, _ = pipeline.GetElementByName("fasp")
	end, _ := pipeline.GetElementByName("app")
	if err = f.element.SetProperty("uri", f.address); err != nil {
		return 1, err
	}
	if why, _ := f.element.Emit("check-settings"); why != nil && why != "" {
		return 3, errors.New(why.(string))
	}
	if len(f.allow) > 0 {
		if _, err = f.element.Connect("caller-identified", f.onIdentified); err != nil {
			return 1, err
		}
	}
	if f.action == "send" {
		file, err := os.Open(f.file)
		if err != nil {
			return 1, err
		}
		defer file.Close()
		go f.feed(app.SrcFromElement(end), file)
	} else {
		file, err := os.Create(f.file)
		if err != nil {
			return 1, err
		}
		defer file.Close()
		app.SinkFromElement(end).SetCallbacks(&app.SinkCallbacks{
			NewSampleFunc: func(sink *app.Sink) gst.FlowReturn { return take(sink, file) },
		})
	}
	defer pipeline.SetState(gst.StateNull)
	return f.follow(pipeline), nil
}

// follow plays until the end of the stream, or an error.
func (f *fasp) follow(pipeline *gst.Pipeline) (status int) {
	bus, next, playing := pipeline.GetBus(), time.Now(), false
	for {
		if len(f.rates) > 0 && !time.Now().Before(next) {
			f.element.SetProperty("max-bitrate", f.rates[0])
			rate, _ := f.element.GetProperty("max-bitrate")
			fmt.Println("rate", rate)
			f.rates, next = f.rates[1:], next.Add(time.Second/2)
		}
		if !playing {
			pipeline.SetState(gst.StatePlaying) // if it fails, the error is on the bus
			playing = true
		}
		message := bus.TimedPop(gst.ClockTime(100 * time.Millisecond))
		if message == nil {
			continue
		}
		switch message.Type() {
		case gst.MessageEOS, gst.MessageError:
			if message.Type() == gst.MessageError {
				status = f.onError(message)
			}
			return status
		case gst.MessageWarning:
			fmt.Println("warning", message.ParseWarning().Message())
		case gst.MessageElement:
			if message.Source() == "fasp" {
				f.onElement(message.GetStructure())
			}
			runtime.KeepAlive(message) // the structure is its own
		}
	}
}

func main() {
	args, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	gst.Init(nil)
	status, err := (&fasp{arguments: args}).run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fasp-app:", err)
	}
	os.Exit(status)
}
