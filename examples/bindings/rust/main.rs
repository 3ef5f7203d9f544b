// SPDX-License-Identifier: LGPL-2.1-or-later
//! Sends a file out of this program's memory through faspsink, as fast as the line has room for, or receives one
//! through faspsrc into it. The same program in other languages is beside this one; they run against each other
//! (../check). It ends with the code of the error (docs/applications.md).

use gst::{glib, prelude::*, MessageView};
use gstreamer as gst;
use gstreamer_app as gst_app;
use std::error::Error;
use std::process::exit;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::{env, fs, thread, time::Duration};

const USAGE: &str = "Usage: fasp-app [--allow=KEY] [--rate=N] send|receive fasp://[HOST]:PORT FILE [PROPERTY=VALUE]...";
const PICTURES: u64 = 50; // per second

fn print_peers(stats: &gst::StructureRef, bytes: &str) -> Result<(), Box<dyn Error>> {
    let callers = stats.get::<glib::ValueArray>("callers")?;
    let peers = callers.iter().flat_map(|value| value.get::<&gst::StructureRef>());
    // of the last peer, the figures remain in the structure itself
    for peer in peers.chain(callers.is_empty().then_some(stats)) {
        if let Ok(address) = peer.get::<&str>("caller-address-string") {
            println!("peer {address} {bytes}={} rtt-ms={:.1}", peer.get::<u64>(bytes)?, peer.get::<f64>("rtt-ms")?);
        }
    }
    Ok(())
}

fn on_element(s: &gst::StructureRef, bytes: &str, bitrate: &AtomicU64) -> Result<(), Box<dyn Error>> {
    match s.name().as_str() {
        "connection-added" => {
            println!("connected {} {}", s.get::<&str>("address-string")?, s.get::<&str>("peer-key").unwrap_or_default())
        }
        "connection-removed" => println!("gone {} {}", s.get::<&str>("address-string")?, s.get::<&str>("reason")?),
        "fasp-available-bitrate" => {
            bitrate.store(s.get("bitrate")?, Relaxed);
            println!("available {}", bitrate.load(Relaxed));
        }
        "application/x-fasp-statistics" => print_peers(s, bytes)?,
        _ => {}
    }
    Ok(())
}

/// The encoder, in a thread of its own: appsrc holds it up while faspsink takes no more.
fn feed(app: &gst_app::AppSrc, mut data: &[u8], bitrate: &AtomicU64) -> Result<gst::FlowSuccess, gst::FlowError> {
    while !data.is_empty() {
        thread::sleep(Duration::from_millis(1000 / PICTURES));
        let size = bitrate.load(Relaxed) / 8 / PICTURES;
        let (picture, rest) = data.split_at(data.len().min(size as usize));
        app.push_buffer(gst::Buffer::from_slice(picture.to_vec()))?;
        data = rest;
    }
    app.end_of_stream()
}

/// In the thread of the stream.
fn take(app: &gst_app::AppSink, received: &Mutex<Vec<u8>>) -> Result<gst::FlowSuccess, gst::FlowError> {
    let sample = app.pull_sample().map_err(|_| gst::FlowError::Eos)?;
    let map = sample.buffer().and_then(|buffer| buffer.map_readable().ok()).ok_or(gst::FlowError::Error)?;
    received.lock().unwrap().extend_from_slice(&map);
    Ok(gst::FlowSuccess::Ok)
}

fn run() -> Result<i32, Box<dyn Error>> {
    let mut words: Vec<String> = env::args().skip(1).collect();
    let mut option = |name: &str| {
        let at = words.iter().position(|word| word.starts_with(name))?;
        Some(words.remove(at)[name.len()..].to_string())
    };
    let (allow, rate) = (option("--allow="), option("--rate=").map(|rate| rate.parse::<u64>()).transpose());
    let (send, rate, address, path, settings) = match (&words[..], rate) {
        ([action, address, path, settings @ ..], Ok(rate)) if action == "send" || action == "receive" => {
            (action == "send", rate, address, path, settings.join(" "))
        }
        _ => {
            eprintln!("{USAGE}");
            return Ok(2);
        }
    };
    gst::init()?;
    let fasp = format!("name=fasp stats-interval=100 {settings}");
    let pipeline = gst::parse::launch(&if send {
        format!("appsrc name=app block=true max-bytes=65536 ! faspsink {fasp}")
    } else {
        format!("faspsrc {fasp} ! appsink name=app sync=false")
    })?;
    let pipeline = pipeline.downcast::<gst::Pipeline>().expect("a pipeline");
    let [fasp, app] = ["fasp", "app"].map(|name| pipeline.by_name(name).expect("it is there"));
    fasp.set_property("uri", address);
    if let Some(allow) = allow {
        // in the network's thread, and the caller waits for the answer
        fasp.connect("caller-identified", false, move |values| {
            let (address, key) = (values[1].get::<&str>().ok()?, values[3].get::<Option<&str>>().ok()?);
            let admit = key == Some(allow.as_str());
            println!("{} {address} {}", if admit { "admitted" } else { "turned away" }, key.unwrap_or("-"));
            Some(admit.to_value())
        });
    }
    let bitrate = Arc::new(AtomicU64::new(1_000_000)); // of the encoder
    let received = Arc::new(Mutex::new(Vec::new()));
    if send {
        let (data, bitrate) = (fs::read(path)?, bitrate.clone());
        let app = app.downcast::<gst_app::AppSrc>().expect("an appsrc");
        thread::spawn(move || feed(&app, &data, &bitrate));
    } else {
        let received = received.clone();
        let callbacks = gst_app::AppSinkCallbacks::builder().new_sample(move |app| take(app, &received));
        app.downcast::<gst_app::AppSink>().expect("an appsink").set_callbacks(callbacks.build());
    }
    if let Some(rate) = rate.filter(|rate| *rate > 0) {
        let fasp = fasp.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(500));
            fasp.set_property("max-bitrate", rate);
            println!("rate {}", fasp.property::<u64>("max-bitrate"));
        });
    }
    let bytes = if send { "bytes-acknowledged" } else { "bytes-received" };
    let mut status = 0;
    pipeline.set_state(gst::State::Playing).ok(); // if it fails, the error is on the bus
    for message in pipeline.bus().expect("a pipeline has one").iter_timed(gst::ClockTime::NONE) {
        match message.view() {
            MessageView::Eos(_) => break,
            MessageView::Error(error) => {
                status = error.error().kind::<gst::ResourceError>().map_or(1, glib::error::ErrorDomain::code);
                println!("error {status} {}", error.error().message());
                break;
            }
            MessageView::Warning(warning) => println!("warning {}", warning.error().message()),
            MessageView::Element(s) if message.src() == Some(fasp.upcast_ref()) => {
                on_element(s.structure().expect("it has one"), bytes, &bitrate)?
            }
            _ => {}
        }
    }
    print_peers(&fasp.property::<gst::Structure>("stats"), bytes)?;
    pipeline.set_state(gst::State::Null)?;
    if !send {
        fs::write(path, &*received.lock().unwrap())?;
    }
    Ok(status)
}

fn main() {
    exit(run().unwrap_or_else(|error| {
        eprintln!("fasp-app: {error}");
        1
    }))
}
