// SPDX-License-Identifier: LGPL-2.1-or-later

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using Gst;
using Gst.App;

/// <summary>Sends a file out of this program's memory through faspsink, as fast as the line has room for, or receives
/// one through faspsrc into it. The same program in other languages is beside this one; they run against each other
/// (../check). It ends with the code of the error (docs/applications.md).</summary>
public class FaspApp
{
    const string Usage =
        "Usage: fasp-app [--allow=KEY] [--rate=N] send|receive fasp://[HOST]:PORT FILE [PROPERTY=VALUE]...";
    const int Pictures = 50; // per second

    readonly bool send;
    readonly Pipeline pipeline;
    readonly Element fasp;
    readonly MemoryStream received = new MemoryStream();
    long bitrate = 1000000; // of the encoder

    FaspApp(bool send, string address, string settings)
    {
        this.send = send;
        pipeline = (Pipeline) Parse.Launch(send
            ? $"appsrc name=app block=true max-bytes=65536 ! faspsink name=fasp stats-interval=100 {settings}"
            : $"faspsrc name=fasp stats-interval=100 {settings} ! appsink name=app sync=false emit-signals=true");
        fasp = pipeline.GetByName("fasp");
        fasp["uri"] = address;
    }

    // In the network's thread, and the caller waits for the answer.
    void Admit(string allow, GLib.SignalArgs args)
    {
        bool admit = allow.Equals(args.Args[2]);
        Console.WriteLine($"{(admit ? "admitted" : "turned away")} {args.Args[0]} {args.Args[2]}");
        args.RetVal = admit;
    }

    static object Get(Structure s, string name) => s.HasField(name) ? s.GetValue(name).Val : null;

    void OnElement(Structure s)
    {
        switch (s.Name)
        {
            case "connection-added":
                Console.WriteLine($"connected {Get(s, "address-string")} {Get(s, "peer-key")}");
                break;
            case "connection-removed":
                Console.WriteLine($"gone {Get(s, "address-string")} {Get(s, "reason")}");
                break;
            case "fasp-available-bitrate":
                Interlocked.Exchange(ref bitrate, (long) (ulong) Get(s, "bitrate"));
                Console.WriteLine($"available {bitrate}");
                break;
            case "application/x-fasp-statistics":
                PrintPeers(s);
                break;
        }
    }

    void PrintPeers(Structure stats)
    {
        var peers = ((GLib.ValueArray) Get(stats, "callers")).Cast<GLib.Value>().Select(v => (Structure) v.Val).ToList();
        if (peers.Count == 0 && stats.HasField("caller-address-string"))
            peers.Add(stats); // the figures of the last one remain there
        string bytes = send ? "bytes-acknowledged" : "bytes-received";
        foreach (var peer in peers)
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "peer {0} {1}={2} rtt-ms={3:F1}",
                Get(peer, "caller-address-string"), bytes, Get(peer, bytes), Get(peer, "rtt-ms")));
    }

    void SetRate(ulong rate)
    {
        fasp["max-bitrate"] = rate;
        Console.WriteLine($"rate {fasp["max-bitrate"]}");
    }

    // The encoder, in a thread of its own: appsrc holds it up while faspsink takes no more.
    void Feed(AppSrc app, byte[] data)
    {
        for (int sent = 0, size; sent < data.Length; sent += size)
        {
            Thread.Sleep(1000 / Pictures);
            size = (int) Math.Min(data.Length - sent, Interlocked.Read(ref bitrate) / 8 / Pictures);
            var picture = new byte[size];
            Array.Copy(data, sent, picture, 0, size);
            if (app.PushBuffer(new Gst.Buffer(picture)) != FlowReturn.Ok)
                break;
        }
        app.EndOfStream();
    }

    // In the thread of the stream.
    void Take(AppSink app, NewSampleArgs args)
    {
        using (var sample = app.PullSample())
        {
            sample.Buffer.ExtractDup(0, sample.Buffer.Size, out byte[] data);
            received.Write(data, 0, data.Length);
        }
        args.RetVal = FlowReturn.Ok;
    }

    // Until the end of the stream, or an error.
    int Follow()
    {
        while (true)
        {
            var message = pipeline.Bus.TimedPop(Gst.Constants.CLOCK_TIME_NONE);
            switch (message.Type)
            {
                case MessageType.Eos:
                    return 0;
                case MessageType.Error:
                    message.ParseError(out GLib.GException error, out string debug);
                    Console.WriteLine($"error {error.Code} {error.Message}");
                    return error.Code;
                case MessageType.Warning:
                    message.ParseWarning(out IntPtr warning, out debug);
                    Console.WriteLine($"warning {new GLib.GException(warning).Message}");
                    break;
                case MessageType.Element:
                    if (message.Src == fasp)
                        OnElement(message.Structure);
                    break;
            }
        }
    }

    int Run(string allow, ulong rate, string file)
    {
        if (allow != null)
            fasp.Connect("caller-identified", (sender, args) => Admit(allow, args));
        var app = pipeline.GetByName("app").Handle;
        var data = send ? File.ReadAllBytes(file) : null;
        if (!send)
            new AppSink(app).NewSample += (sink, args) => Take((AppSink) sink, args);
        // if it fails, the error is on the bus, and appsrc takes nothing
        if (pipeline.SetState(State.Playing) != StateChangeReturn.Failure && send)
            new Thread(() => Feed(new AppSrc(app), data)) { IsBackground = true }.Start();
        var timer = rate > 0 ? new Timer(_ => SetRate(rate), null, 500, Timeout.Infinite) : null;
        int status = Follow();
        timer?.Dispose();
        using (var stats = fasp.GetProperty("stats")) // fasp["stats"] would be freed before it is read
            PrintPeers((Structure) stats.Val);
        pipeline.SetState(State.Null);
        if (!send)
            File.WriteAllBytes(file, received.ToArray());
        return status;
    }

    static string Option(List<string> words, string name)
    {
        var found = words.Find(word => word.StartsWith(name));
        words.Remove(found);
        return found?.Substring(name.Length);
    }

    public static int Main(string[] args)
    {
        var words = args.ToList();
        string allow = Option(words, "--allow="), number = Option(words, "--rate=") ?? "0";
        if (!ulong.TryParse(number, out ulong rate) || words.Count < 3 || words[0] != "send" && words[0] != "receive")
        {
            Console.Error.WriteLine(Usage);
            return 2;
        }
        Gst.Application.Init();
        try
        {
            return new FaspApp(words[0] == "send", words[1], string.Join(" ", words.Skip(3))).Run(allow, rate, words[2]);
        }
        catch (Exception e) when (e is IOException || e is UnauthorizedAccessException || e is GLib.GException)
        {
            Console.Error.WriteLine($"fasp-app: {e.Message}");
            return 1;
        }
    }
}
