// SPDX-License-Identifier: LGPL-2.1-or-later

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using Gst;
using Gst.App;
using Stream = System.IO.Stream;

/// <summary>Sends a file out of this program's memory through faspsink, or receives one through faspsrc into it.
/// The same program in other languages is beside this one; they run against each other (../check).</summary>
public class FaspApp
{
    const string Usage = @"Usage: fasp-app send|receive fasp://[HOST]:PORT FILE
           [--allow KEY]... [--rates N,N...] [--encode] [PROPERTY=VALUE]...";
    const int Chunk = 16384;
    const int Pictures = 50; // per second

    readonly bool send;
    readonly bool encode;
    readonly string address;
    readonly string file;
    readonly string settings;
    readonly List<string> allow = new List<string>();
    readonly Queue<ulong> rates = new Queue<ulong>();
    Element fasp;
    long bitrate; // of the encoder

    FaspApp(string[] args)
    {
        var words = new List<string>();
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--allow":
                    allow.Add(args[++i]);
                    break;
                case "--rates":
                    rates = new Queue<ulong>(args[++i].Split(',').Select(ulong.Parse));
                    break;
                case "--encode":
                    encode = true;
                    break;
                default:
                    words.Add(args[i]);
                    break;
            }
        }
        if (words.Count < 3 || words[0] != "send" && words[0] != "receive")
            throw new FormatException();
        send = words[0] == "send";
        address = words[1];
        file = words[2];
        settings = string.Join(" ", words.Skip(3));
    }

    // In the network's thread, and the caller waits for the answer.
    void OnIdentified(object sender, GLib.SignalArgs args)
    {
        var key = args.Args[2] as string;
        bool admit = allow.Contains(key);
        Console.WriteLine($"{(admit ? "admitted" : "turned away")} {args.Args[0]} {key}");
        args.RetVal = admit;
    }

    static object Get(Structure s, string name) => s.HasField(name) ? s.GetValue(name).Val : null;

    void OnElement(Structure s)
    {
        switch (s.Name)
        {
            case "connection-added":
                Console.WriteLine($"connected {s.GetString("address-string")} {Get(s, "peer-name")}");
                break;
            case "connection-removed":
                Console.WriteLine($"gone {s.GetString("address-string")} {Get(s, "reason-code")} {Get(s, "reason")}");
                break;
            case "fasp-available-bitrate":
                Interlocked.Exchange(ref bitrate, (long) (ulong) Get(s, "bitrate")); // here, set that of an encoder
                Console.WriteLine($"available {bitrate}");
                break;
            case "application/x-fasp-statistics":
                PrintPeers(s);
                break;
        }
    }

    void PrintPeers(Structure stats)
    {
        var callers = (GLib.ValueArray) Get(stats, "callers");
        var peers = callers.Cast<GLib.Value>().Select(value => (Structure) value.Val).ToList();
        if (peers.Count == 0 && stats.HasField("caller-address-string"))
            peers.Add(stats); // the figures of the last one remain there
        string bytes = send ? "bytes-acknowledged" : "bytes-received";
        string packets = send ? "packets-retransmitted" : "packets-received-lost";
        foreach (var peer in peers)
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "peer {0} {1}={2} {3}={4} rtt-ms={5:F1}",
                Get(peer, "caller-address-string"), bytes, Get(peer, bytes), packets, Get(peer, packets),
                Get(peer, "rtt-ms")));
    }

    // The exit code, by the code of the error (docs/applications.md).
    static int OnError(Message message)
    {
        message.ParseError(out GLib.GException error, out string _);
        var details = message.ParseErrorDetails();
        Console.WriteLine($"error {error.Code} {(details != null ? Get(details, "reason-code") : 0)} {error.Message}");
        switch ((ResourceError) error.Code)
        {
            case ResourceError.Settings:
                return 3;
            case ResourceError.OpenRead:
            case ResourceError.OpenWrite:
                return 4;
            case ResourceError.NotAuthorized:
                return 5;
            case ResourceError.Read:
            case ResourceError.Write:
                return 6;
            default:
                return 1;
        }
    }

    // In a thread of its own: appsrc holds it up while faspsink takes no more.
    void Feed(AppSrc app, Stream stream)
    {
        while (true)
        {
            int size = Chunk;
            if (encode)
            {
                Thread.Sleep(1000 / Pictures);
                size = (int) (Interlocked.Read(ref bitrate) / 8 / Pictures); // a picture
                if (size == 0)
                    continue; // nobody is there yet
            }
            var data = new byte[size];
            int read = stream.Read(data, 0, size);
            if (read == 0)
                break;
            System.Array.Resize(ref data, read);
            if (app.PushBuffer(new Gst.Buffer(data)) != FlowReturn.Ok)
                break;
        }
        app.EndOfStream();
    }

    // In the thread of the stream.
    static void Take(AppSink app, Stream stream, NewSampleArgs args)
    {
        using (var sample = app.PullSample())
        {
            sample.Buffer.ExtractDup(0, sample.Buffer.Size, out byte[] data);
            stream.Write(data, 0, data.Length);
        }
        args.RetVal = FlowReturn.Ok;
    }

    int Follow(Bus bus)
    {
        for (var clock = Stopwatch.StartNew(); ;)
        {
            if (rates.Count > 0 && (clock.ElapsedMilliseconds >= 500 || (ulong) fasp["max-bitrate"] == 0))
            {
                fasp["max-bitrate"] = rates.Dequeue();
                Console.WriteLine($"rate {fasp["max-bitrate"]}");
                clock.Restart();
            }
            var message = bus.TimedPop(100 * Gst.Constants.MSECOND);
            switch (message?.Type)
            {
                case MessageType.Eos:
                    return 0;
                case MessageType.Error:
                    return OnError(message);
                case MessageType.Warning:
                    message.ParseWarning(out IntPtr warning, out string _);
                    Console.WriteLine($"warning {new GLib.GException(warning).Message}");
                    break;
                case MessageType.Element:
                    if (message.Src == fasp)
                        OnElement(message.Structure);
                    break;
            }
        }
    }

    int Run()
    {
        var pipeline = (Pipeline) Parse.Launch(send
            ? $"appsrc name=app block=true max-bytes=65536 ! faspsink name=fasp stats-interval=100 {settings}"
            : $"faspsrc name=fasp stats-interval=100 {settings} ! appsink name=app sync=false emit-signals=true");
        fasp = pipeline.GetByName("fasp");
        fasp["uri"] = address;
        if (allow.Count > 0)
            fasp.Connect("caller-identified", OnIdentified);
        using (var stream = send ? File.OpenRead(file) : File.Create(file))
        {
            if (!send)
                new AppSink(pipeline.GetByName("app").Handle).NewSample +=
                    (app, args) => Take((AppSink) app, stream, args);
            // if it fails, the error is on the bus, and appsrc takes nothing
            if (pipeline.SetState(State.Playing) != StateChangeReturn.Failure && send)
                new Thread(() => Feed(new AppSrc(pipeline.GetByName("app").Handle), stream)) { IsBackground = true }.Start();
            int status = Follow(pipeline.Bus);
            using (var stats = fasp.GetProperty("stats")) // fasp["stats"] would be freed before it is read
                PrintPeers((Structure) stats.Val);
            pipeline.SetState(State.Null);
            return status;
        }
    }

    public static int Main(string[] args)
    {
        FaspApp app;
        try
        {
            app = new FaspApp(args);
        }
        catch (Exception e) when (e is FormatException || e is IndexOutOfRangeException)
        {
            Console.Error.WriteLine(Usage);
            return 2;
        }
        Gst.Application.Init();
        try
        {
            return app.Run();
        }
        catch (Exception e) when (e is IOException || e is GLib.GException)
        {
            Console.Error.WriteLine($"fasp-app: {e.Message}");
            return 1;
        }
    }
}
