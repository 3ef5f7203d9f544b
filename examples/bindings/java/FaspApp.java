// SPDX-License-Identifier: LGPL-2.1-or-later

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.freedesktop.gstreamer.Buffer;
import org.freedesktop.gstreamer.Bus;
import org.freedesktop.gstreamer.Element;
import org.freedesktop.gstreamer.FlowReturn;
import org.freedesktop.gstreamer.Gst;
import org.freedesktop.gstreamer.GstException;
import org.freedesktop.gstreamer.GstObject;
import org.freedesktop.gstreamer.Pipeline;
import org.freedesktop.gstreamer.Sample;
import org.freedesktop.gstreamer.Structure;
import org.freedesktop.gstreamer.elements.AppSink;
import org.freedesktop.gstreamer.elements.AppSrc;
import org.freedesktop.gstreamer.glib.GError;
import org.freedesktop.gstreamer.glib.GObject;
import org.freedesktop.gstreamer.lowlevel.GstAPI.GstCallback;
import org.freedesktop.gstreamer.message.Message;
import org.freedesktop.gstreamer.message.MessageType;

/**
 * Sends a file out of this program's memory through faspsink, or receives one through faspsrc into it.
 * The same program in other languages is beside this one; they run against each other (../check).
 */
public class FaspApp {
    private static final String USAGE = """
            Usage: fasp-app send|receive fasp://[HOST]:PORT FILE
                       [--allow KEY]... [--rates N,N...] [--encode] [PROPERTY=VALUE]...""";
    private static final int CHUNK = 16384;
    private static final int PICTURES = 50; // per second
    // exit codes, by the code of the error in GstResourceError (docs/applications.md)
    private static final Map<Integer, Integer> EXIT = Map.of(13, 3, 5, 4, 6, 4, 15, 5, 9, 6, 10, 6);

    private boolean send;
    private boolean encode;
    private String address;
    private String file;
    private final List<String> allow = new ArrayList<>();
    private final Queue<Long> rates = new ArrayDeque<>();
    private final StringBuilder settings = new StringBuilder();
    private Element fasp;
    private volatile long bitrate; // of the encoder
    private int status;

    private FaspApp(String[] args) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--allow" -> allow.add(args[++i]);
                case "--rates" -> List.of(args[++i].split(",")).forEach(rate -> rates.add(Long.valueOf(rate)));
                case "--encode" -> encode = true;
                default -> words.add(args[i]);
            }
        }
        send = words.get(0).equals("send");
        if (!send && !words.get(0).equals("receive")) {
            throw new IllegalArgumentException();
        }
        address = words.get(1);
        file = words.get(2);
        words.subList(3, words.size()).forEach(setting -> settings.append(' ').append(setting));
    }

    private static void say(Object... words) {
        System.out.println(String.join(" ", List.of(words).stream().map(String::valueOf).toList()));
    }

    /** In the network's thread, and the caller waits for the answer. */
    private final GstCallback onIdentified = new GstCallback() {
        @SuppressWarnings("unused")
        public boolean callback(Element fasp, String address, String streamid, String key, String name) {
            boolean admit = key != null && allow.contains(key);
            say(admit ? "admitted" : "turned away", address, key);
            return admit;
        }
    };

    /** In the thread of the main loop, as all that comes from the bus. */
    private void onMessage(Bus bus, Message message) {
        if (message.getType() != MessageType.ELEMENT || !message.getSource().equals(fasp)) {
            return;
        }
        Structure s = message.getStructure();
        switch (s.getName()) {
            case "connection-added" -> say("connected", s.getString("address-string"),
                    s.hasField("peer-name") ? s.getString("peer-name") : "");
            case "connection-removed" -> say("gone", s.getString("address-string"), s.getValue("reason-code"),
                    s.getString("reason"));
            case "fasp-available-bitrate" -> {
                bitrate = (Long) s.getValue("bitrate"); // here, set that of an encoder
                say("available", bitrate);
            }
            case "application/x-fasp-statistics" -> printPeers(s);
            default -> { }
        }
    }

    private void onError(GstObject source, int code, String text) {
        say("error", code, text);
        status = EXIT.getOrDefault(code, 1);
        Gst.quit();
    }

    private void printPeers(Structure stats) {
        List<Structure> callers = stats.getValues(Structure.class, "callers");
        // gst1-java-core 1.4 would free them, though they belong to the array
        callers.forEach(Structure::disown);
        if (callers.isEmpty()) {
            printPeer(stats); // the figures of the last one remain there
        }
        callers.forEach(this::printPeer);
    }

    private void printPeer(Structure peer) {
        if (!peer.hasField("caller-address-string")) {
            return; // nobody has been there
        }
        String bytes = send ? "bytes-acknowledged" : "bytes-received";
        String packets = send ? "packets-retransmitted" : "packets-received-lost";
        say("peer", peer.getString("caller-address-string"), bytes + "=" + peer.getValue(bytes),
                packets + "=" + peer.getValue(packets),
                String.format(Locale.ROOT, "rtt-ms=%.1f", peer.getDouble("rtt-ms")));
    }

    private void nextRate() {
        if (!rates.isEmpty()) {
            fasp.set("max-bitrate", rates.remove());
            say("rate", fasp.get("max-bitrate"));
        }
    }

    /** In a thread of its own: appsrc holds it up while faspsink takes no more. */
    private void feed(AppSrc app, InputStream in) {
        try {
            while (true) {
                int size = CHUNK;
                if (encode) {
                    Thread.sleep(1000 / PICTURES);
                    size = (int) (bitrate / 8 / PICTURES); // a picture
                    if (size == 0) {
                        continue; // nobody is there yet
                    }
                }
                byte[] data = in.readNBytes(size);
                if (data.length == 0) {
                    break;
                }
                Buffer buffer = new Buffer(data.length);
                buffer.map(true).put(data);
                buffer.unmap();
                if (app.pushBuffer(buffer) != FlowReturn.OK) {
                    break;
                }
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("fasp-app: " + e.getMessage());
        }
        app.endOfStream();
    }

    /** In the thread of the stream. */
    private static FlowReturn take(AppSink app, OutputStream out) {
        Sample sample = app.pullSample();
        if (sample == null) {
            return FlowReturn.EOS;
        }
        Buffer buffer = sample.getBuffer();
        try {
            ByteBuffer bytes = buffer.map(false);
            byte[] data = new byte[bytes.remaining()];
            bytes.get(data);
            buffer.unmap();
            out.write(data);
        } catch (IOException e) {
            return FlowReturn.ERROR;
        } finally {
            sample.dispose();
        }
        return FlowReturn.OK;
    }

    private int run() throws IOException {
        List<GError> errors = new ArrayList<>();
        Element parsed = Gst.parseLaunch(send
                ? "appsrc name=app block=true max-bytes=65536 ! faspsink name=fasp stats-interval=100" + settings
                : "faspsrc name=fasp stats-interval=100" + settings
                        + " ! appsink name=app sync=false emit-signals=true", errors);
        if (!errors.isEmpty()) {
            throw new IOException(errors.get(0).getMessage());
        }
        Pipeline pipeline = (Pipeline) parsed;
        fasp = pipeline.getElementByName("fasp");
        fasp.set("uri", address);
        if (!allow.isEmpty()) {
            fasp.connect("caller-identified", GObject.class, fasp, onIdentified);
        }
        Bus bus = pipeline.getBus();
        bus.connect((Bus.EOS) source -> Gst.quit());
        bus.connect((Bus.ERROR) this::onError);
        bus.connect((Bus.WARNING) (source, code, text) -> say("warning", text));
        bus.connect((Bus.MESSAGE) this::onMessage);
        try (InputStream in = send ? new FileInputStream(file) : InputStream.nullInputStream();
                OutputStream out = send ? OutputStream.nullOutputStream() : new FileOutputStream(file)) {
            if (send) {
                AppSrc app = (AppSrc) pipeline.getElementByName("app");
                Gst.getExecutor().scheduleAtFixedRate(this::nextRate, 0, 500, TimeUnit.MILLISECONDS);
                Thread thread = new Thread(() -> feed(app, in));
                thread.setDaemon(true);
                thread.start();
            } else {
                ((AppSink) pipeline.getElementByName("app")).connect((AppSink.NEW_SAMPLE) app -> take(app, out));
            }
            pipeline.play();
            Gst.main();
            printPeers((Structure) fasp.get("stats"));
            pipeline.stop();
        }
        return status;
    }

    public static void main(String[] args) {
        FaspApp app = null;
        try {
            app = new FaspApp(args);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            System.err.println(USAGE);
            System.exit(2);
        }
        Gst.init("fasp-app");
        try {
            System.exit(app.run());
        } catch (IOException | GstException e) {
            System.err.println("fasp-app: " + e.getMessage());
            System.exit(1);
        }
    }
}
