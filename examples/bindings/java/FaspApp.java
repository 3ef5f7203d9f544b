// SPDX-License-Identifier: LGPL-2.1-or-later

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.freedesktop.gstreamer.*;
import org.freedesktop.gstreamer.elements.AppSink;
import org.freedesktop.gstreamer.elements.AppSrc;
import org.freedesktop.gstreamer.glib.GError;
import org.freedesktop.gstreamer.glib.GObject;
import org.freedesktop.gstreamer.lowlevel.GstAPI.GstCallback;
import org.freedesktop.gstreamer.message.Message;

/**
 * Sends a file out of this program's memory through faspsink, as fast as the line has room for, or receives one
 * through faspsrc into it. The same program in other languages is beside this one; they run against each other
 * (../check). It ends with the code of the error (docs/applications.md).
 */
public class FaspApp {
    private static final String USAGE =
            "Usage: fasp-app [--allow=KEY] [--rate=N] send|receive fasp://[HOST]:PORT FILE [PROPERTY=VALUE]...";
    private static final int PICTURES = 50; // per second

    private final boolean send;
    private final Element fasp;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private volatile long bitrate = 1_000_000; // of the encoder
    private int status;

    private FaspApp(boolean send, Element fasp) {
        this.send = send;
        this.fasp = fasp;
    }

    private static void say(Object... words) {
        System.out.println(Stream.of(words).map(String::valueOf).collect(Collectors.joining(" ")));
    }

    /** In the network's thread, and the caller waits for the answer. */
    private record Door(String allow) implements GstCallback {
        public boolean callback(Element fasp, String address, String streamid, String key, String name) {
            say(allow.equals(key) ? "admitted" : "turned away", address, key);
            return allow.equals(key);
        }
    }

    /** In the thread of the main loop, as all that comes from the bus. */
    private void onMessage(Bus bus, Message message) {
        if (!message.getSource().equals(fasp) || message.getStructure() == null) {
            return;
        }
        Structure s = message.getStructure();
        switch (s.getName()) {
            case "connection-added" ->
                say("connected", s.getString("address-string"), s.hasField("peer-key") ? s.getString("peer-key") : "");
            case "connection-removed" -> say("gone", s.getString("address-string"), s.getString("reason"));
            case "fasp-available-bitrate" -> {
                bitrate = (Long) s.getValue("bitrate");
                say("available", bitrate);
            }
            case "application/x-fasp-statistics" -> printPeers(s);
            default -> { }
        }
    }

    private void onError(GstObject source, int code, String text) {
        say("error", code, text);
        status = code;
        Gst.quit();
    }

    private void printPeers(Structure stats) {
        List<Structure> callers = stats.getValues(Structure.class, "callers");
        // gst1-java-core 1.4 would free them, though they belong to the array
        callers.forEach(Structure::disown);
        String bytes = send ? "bytes-acknowledged" : "bytes-received";
        // of the last peer, the figures remain in the structure itself
        for (Structure peer : callers.isEmpty() ? List.of(stats) : callers) {
            if (peer.hasField("caller-address-string")) {
                say("peer", peer.getString("caller-address-string"), bytes + "=" + peer.getValue(bytes),
                        "rtt-ms=" + peer.getDouble("rtt-ms"));
            }
        }
    }

    private void setRate(long rate) {
        fasp.set("max-bitrate", rate);
        say("rate", fasp.get("max-bitrate"));
    }

    /** The encoder, in a thread of its own: appsrc holds it up while faspsink takes no more. */
    private void feed(AppSrc app, ByteBuffer data) {
        FlowReturn flow = FlowReturn.OK;
        while (data.hasRemaining() && flow == FlowReturn.OK) {
            LockSupport.parkNanos(1_000_000_000 / PICTURES);
            byte[] picture = new byte[(int) Math.min(data.remaining(), bitrate / 8 / PICTURES)];
            data.get(picture);
            Buffer buffer = new Buffer(picture.length);
            buffer.map(true).put(picture);
            buffer.unmap();
            flow = app.pushBuffer(buffer);
        }
        app.endOfStream();
    }

    /** In the thread of the stream. */
    private FlowReturn take(AppSink app) {
        Sample sample = app.pullSample();
        Buffer buffer = sample.getBuffer();
        ByteBuffer bytes = buffer.map(false);
        byte[] data = new byte[bytes.remaining()];
        bytes.get(data);
        received.writeBytes(data);
        buffer.unmap();
        sample.dispose();
        return FlowReturn.OK;
    }

    private static String option(List<String> words, String name) {
        String found = words.stream().filter(word -> word.startsWith(name)).findFirst().orElse(null);
        words.remove(found);
        return found == null ? null : found.substring(name.length());
    }

    private static int run(String allow, long rate, boolean send, List<String> words) throws IOException {
        Path file = Path.of(words.get(2));
        String settings = "name=fasp stats-interval=100 " + String.join(" ", words.subList(3, words.size()));
        List<GError> errors = new ArrayList<>();
        Element parsed = Gst.parseLaunch(send
                ? "appsrc name=app block=true max-bytes=65536 ! faspsink " + settings
                : "faspsrc " + settings + " ! appsink name=app sync=false emit-signals=true", errors);
        if (!errors.isEmpty()) {
            throw new IOException(errors.get(0).getMessage());
        }
        Pipeline pipeline = (Pipeline) parsed;
        FaspApp app = new FaspApp(send, pipeline.getElementByName("fasp"));
        app.fasp.set("uri", words.get(1));
        Door door = new Door(allow);
        if (allow != null) {
            app.fasp.connect("caller-identified", GObject.class, app.fasp, door);
        }
        Bus bus = pipeline.getBus();
        bus.connect((Bus.EOS) source -> Gst.quit());
        bus.connect((Bus.ERROR) app::onError);
        bus.connect((Bus.WARNING) (source, code, text) -> say("warning", text));
        bus.connect("message::element", app::onMessage);
        if (send) {
            ByteBuffer data = ByteBuffer.wrap(Files.readAllBytes(file));
            Thread thread = new Thread(() -> app.feed((AppSrc) pipeline.getElementByName("app"), data));
            thread.setDaemon(true);
            thread.start();
        } else {
            ((AppSink) pipeline.getElementByName("app")).connect((AppSink.NEW_SAMPLE) app::take);
        }
        if (rate > 0) {
            Gst.getExecutor().schedule(() -> app.setRate(rate), 500, TimeUnit.MILLISECONDS);
        }
        pipeline.play();
        Gst.main();
        app.printPeers((Structure) app.fasp.get("stats"));
        pipeline.stop();
        if (!send) {
            Files.write(file, app.received.toByteArray());
        }
        return app.status;
    }

    public static void main(String[] args) {
        List<String> words = new ArrayList<>(List.of(args));
        String allow = option(words, "--allow="), number = option(words, "--rate=");
        long rate = number == null ? 0 : number.matches("[0-9]{1,18}") ? Long.parseLong(number) : -1;
        if (rate < 0 || words.size() < 3 || !List.of("send", "receive").contains(words.get(0))) {
            System.err.println(USAGE);
            System.exit(2);
        }
        Gst.init("fasp-app");
        try {
            System.exit(run(allow, rate, words.get(0).equals("send"), words));
        } catch (IOException | GstException e) {
            System.err.println("fasp-app: " + e.getMessage());
            System.exit(1);
        }
    }
}
