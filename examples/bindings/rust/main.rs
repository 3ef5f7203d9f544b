// SPDX-License-Identifier: LGPL-2.1-or-later
//! Sends a file out of this program's memory through faspsink, or receives one through faspsrc into it.
//! The same program in other languages is beside this one; they run against each other (../check).

use gst::{glib, prelude::*, MessageView};
use gstreamer as gst;
use gstreamer_app as gst_app;
use std::error::Error;
use std::fs::File;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const USAGE: &str = "Usage: fasp-app send|receive fasp://[HOST]:PORT FILE
           [--allow KEY]... [--rates N,N...] [--encode] [PROPERTY=VALUE]...";
const CHUNK: usize = 16384;
const PICTURES: u64 = 50; // per second

#[derive(Default)]
struct Args {
    send: bool,
    address: String,
    file: String,
    settings: String,
    allow: Vec<String>,
    rates: Vec<u64>,
    encode: bool,
}

fn parse() -> Option<Args> {
    let (mut args, mut words) = (Args::default(), Vec::new());
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        match word.as_str() {
            "--allow" => args.allow.push(given.next()?),
            "--rates" => args.rates = given.next()?.split(',').map(str::parse).collect::<Result<_, _>>().ok()?,
            "--encode" => args.encode = true,
            _ => words.push(word),
        }
    }
    let mut words = words.into_iter();
    let action = words.next()?;
    args.send = action == "send";
    args.address = words.next()?;
    args.file = words.next()?;
    args.settings = words.collect::<Vec<_>>().join(" ");
    (args.send || action == "receive").then_some(args)
}

fn print_peer(peer: &gst::StructureRef, send: bool) {
    let Ok(address) = peer.get::<String>("caller-address-string") else {
        return; // nobody has been there
    };
    let sent = ["bytes-acknowledged", "packets-retransmitted"];
    let received = ["bytes-received", "packets-received-lost"];
    let [bytes, packets] = (if send { sent } else { received })
        .map(|name| format!("{name}={}", peer.get::<u64>(name).unwrap_or_default()));
    println!("peer {address} {bytes} {packets} rtt-ms={:.1}", peer.get::<f64>("rtt-ms").unwrap_or_default());
}

fn print_peers(stats: &gst::StructureRef, send: bool) {
    match stats.get::<glib::ValueArray>("callers") {
        Ok(callers) if !callers.is_empty() => {
            callers.iter().flat_map(|value| value.get::<gst::Structure>()).for_each(|peer| print_peer(&peer, send))
        }
        _ => print_peer(stats, send), // the figures of the last one remain there
    }
}

fn on_element(s: &gst::StructureRef, send: bool, bitrate: &AtomicU64) -> Result<(), Box<dyn Error>> {
    match s.name().as_str() {
        "connection-added" => {
            let name = s.get::<&str>("peer-name").unwrap_or_default();
            println!("connected {} {name}", s.get::<&str>("address-string")?)
        }
        "connection-removed" => println!(
            "gone {} {} {}", s.get::<&str>("address-string")?, s.get::<u32>("reason-code")?, s.get::<&str>("reason")?
        ),
        "fasp-available-bitrate" => {
            bitrate.store(s.get::<u64>("bitrate")?, Ordering::Relaxed); // here, set that of an encoder
            println!("available {}", bitrate.load(Ordering::Relaxed));
        }
        "application/x-fasp-statistics" => print_peers(s, send),
        _ => {}
    }
    Ok(())
}

/// The exit code, by the code of the error (docs/applications.md).
fn on_error(message: &gst::message::Error) -> i32 {
    let error = message.error();
    let reason = message.details().and_then(|details| details.get::<u32>("reason-code").ok()).unwrap_or(0);
    println!("error {} {reason} {}", error.domain().as_str(), error.message());
    match error.kind::<gst::ResourceError>() {
        Some(gst::ResourceError::Settings) => 3,
        Some(gst::ResourceError::OpenRead | gst::ResourceError::OpenWrite) => 4,
        Some(gst::ResourceError::NotAuthorized) => 5,
        Some(gst::ResourceError::Read | gst::ResourceError::Write) => 6,
        _ => 1,
    }
}

/// Runs in a thread of its own: appsrc holds it up while faspsink takes no more.
fn feed(app: &gst_app::AppSrc, mut file: File, encode: bool, bitrate: &AtomicU64) -> Result<(), Box<dyn Error>> {
    loop {
        let mut size = CHUNK;
        if encode {
            std::thread::sleep(Duration::from_millis(1000 / PICTURES));
            size = (bitrate.load(Ordering::Relaxed) / 8 / PICTURES) as usize; // a picture
            if size == 0 {
                continue; // nobody is there yet
            }
        }
        let mut data = Vec::with_capacity(size);
        if Read::by_ref(&mut file).take(size as u64).read_to_end(&mut data)? == 0 {
            app.end_of_stream()?;
            return Ok(());
        }
        app.push_buffer(gst::Buffer::from_mut_slice(data))?;
    }
}

/// In the thread of the stream.
fn take(app: &gst_app::AppSink, file: &mut File) -> Result<gst::FlowSuccess, gst::FlowError> {
    let sample = app.pull_sample().map_err(|_| gst::FlowError::Eos)?;
    let map = sample.buffer().and_then(|buffer| buffer.map_readable().ok()).ok_or(gst::FlowError::Error)?;
    file.write_all(&map).map_err(|_| gst::FlowError::Error)?;
    Ok(gst::FlowSuccess::Ok)
}

fn run(args: Args) -> Result<i32, Box<dyn Error>> {
    let line = if args.send {
        format!("appsrc name=app block=true max-bytes=65536 ! faspsink name=fasp stats-interval=100 {}", args.settings)
    } else {
        format!("faspsrc name=fasp stats-interval=100 {} ! appsink name=app sync=false", args.settings)
    };
    let pipeline = gst::parse::launch(&line)?.downcast::<gst::Pipeline>().expect("a pipeline");
    let fasp = pipeline.by_name("fasp").expect("it is there");
    let app = pipeline.by_name("app").expect("it is there");
    let bitrate = Arc::new(AtomicU64::new(0));
    fasp.set_property("uri", &args.address);
    if !args.allow.is_empty() {
        // in the network's thread, and the caller waits for the answer
        fasp.connect("caller-identified", false, move |values| {
            let [_, address, _, key, _] = values else { return None };
            let (address, key) = (address.get::<&str>().ok()?, key.get::<Option<&str>>().ok()?.unwrap_or_default());
            let admit = args.allow.iter().any(|allowed| allowed == key);
            println!("{} {address} {key}", if admit { "admitted" } else { "turned away" });
            Some(admit.to_value())
        });
    }
    if args.send {
        let (file, bitrate) = (File::open(&args.file)?, bitrate.clone());
        let app = app.downcast::<gst_app::AppSrc>().expect("an appsrc");
        std::thread::spawn(move || feed(&app, file, args.encode, &bitrate).ok());
    } else {
        let file = Mutex::new(File::create(&args.file)?);
        let app = app.downcast::<gst_app::AppSink>().expect("an appsink");
        let take = move |app: &gst_app::AppSink| take(app, &mut file.lock().unwrap());
        app.set_callbacks(gst_app::AppSinkCallbacks::builder().new_sample(take).build());
    }
    let (mut rates, mut next) = (args.rates.iter(), Instant::now());
    let mut status = None;
    let bus = pipeline.bus().expect("a pipeline has one");
    let mut set_rate = || {
        if Instant::now() >= next {
            next += Duration::from_millis(500);
            if let Some(rate) = rates.next() {
                fasp.set_property("max-bitrate", rate);
                println!("rate {}", fasp.property::<u64>("max-bitrate"));
            }
        }
    };
    set_rate();
    if pipeline.set_state(gst::State::Playing).is_err() && bus.peek().is_none() {
        return Err("the pipeline does not start".into());
    }
    while status.is_none() {
        set_rate();
        let Some(message) = bus.timed_pop(gst::ClockTime::from_mseconds(100)) else { continue };
        match message.view() {
            MessageView::Eos(_) => status = Some(0),
            MessageView::Error(error) => status = Some(on_error(error)),
            MessageView::Warning(warning) => println!("warning {}", warning.error().message()),
            MessageView::Element(element) if message.src() == Some(fasp.upcast_ref()) => {
                on_element(element.structure().ok_or("no structure")?, args.send, &bitrate)?
            }
            _ => {}
        }
    }
    print_peers(&fasp.property::<gst::Structure>("stats"), args.send);
    pipeline.set_state(gst::State::Null)?;
    Ok(status.unwrap_or(1))
}

fn main() {
    let Some(args) = parse() else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let status = gst::init().map_err(Into::into).and_then(|()| run(args)).unwrap_or_else(|error| {
        eprintln!("fasp-app: {error}");
        1
    });
    std::process::exit(status);
}
