-- SPDX-License-Identifier: LGPL-2.1-or-later
--
-- Wireshark dissector of the fasp protocol, version 5 (docs/protocol.md).
--
--   wireshark -X lua_script:docs/fasp.lua
--
-- What is encrypted is shown as such. Sessions with encryption=none on both ends
-- show their frames with the preference fasp.clear:
--
--   tshark -X lua_script:docs/fasp.lua -o fasp.clear:true -r FILE
--
-- Tried on all UDP datagrams whose first byte and size fit; or choose it with
-- "Decode As".

local fasp = Proto("fasp", "fasp reliable stream")
fasp.prefs.clear = Pref.bool("Sessions are not encrypted", false,
    "Both ends have encryption=none: show their frames")

local version = 5
local types = { [1] = "OPEN", [2] = "RETRY", [3] = "ACCEPT", [4] = "REJECT", [5] = "VERSIONS", [6] = "PUNCH", [7] = "ANNOUNCE" }
local frames = { [0] = "PADDING", [1] = "PING", [2] = "PONG", [3] = "TAIL", [4] = "FEEDBACK", [5] = "SKIP", [6] = "CLOSE",
    [7] = "PROMISE", [8] = "REPAIR", [9] = "POSITION", [10] = "EXPIRED", [11] = "NEXT", [12] = "GROUP", [13] = "OFFSET",
    [14] = "AGREE" }
local roles = { [1] = "sender", [2] = "receiver" }
local reasons = { [1] = "finished", [2] = "stopped", [3] = "too slow", [4] = "refused",
    [5] = "busy", [6] = "same role", [7] = "unsupported option", [8] = "key", [9] = "encryption" }
local patterns = { [1] = "NN", [2] = "NNpsk0", [3] = "IK", [4] = "IKpsk2" }

local f = fasp.fields
f.type = ProtoField.uint8("fasp.type", "Handshake", base.DEC, types, 0x0f)
f.version = ProtoField.uint8("fasp.version", "Version")
f.to = ProtoField.uint32("fasp.to", "To id", base.HEX)
f.hint = ProtoField.uint32("fasp.hint", "Hint of the stream", base.HEX)
f.from = ProtoField.uint32("fasp.from", "From id", base.HEX)
f.nonce = ProtoField.bytes("fasp.nonce", "Caller's nonce")
f.pattern = ProtoField.uint8("fasp.pattern", "Noise pattern", base.DEC, patterns)
f.message = ProtoField.bytes("fasp.message", "Noise message")
f.flows = ProtoField.uint8("fasp.flows", "Flows")
f.fec = ProtoField.uint16("fasp.fec", "Blocks of a repair")
f.arrivals = ProtoField.uint8("fasp.arrivals", "Receive timestamps")
f.clock = ProtoField.uint32("fasp.clock", "Clock (us)")
f.budget = ProtoField.uint64("fasp.budget", "Feedback rate (bytes/s)")
f.marked = ProtoField.uint64("fasp.marked", "Marked by ECN")
f.arrival = ProtoField.string("fasp.arrival", "Arrived")
f.first_block = ProtoField.uint24("fasp.first_block", "First block")
f.blocks = ProtoField.uint16("fasp.blocks", "Blocks")
f.key = ProtoField.uint16("fasp.key", "Key")
f.span = ProtoField.uint16("fasp.span", "Span (ms)")
f.group = ProtoField.none("fasp.group", "Listens to a group")
f.group_key = ProtoField.bytes("fasp.group_key", "Key of the group")
f.header = ProtoField.none("fasp.header", "Has a header")
f.offsets = ProtoField.none("fasp.offsets", "Wants offsets")
f.segment = ProtoField.uint8("fasp.segment", "Segment")
f.low_offset = ProtoField.uint32("fasp.low_offset", "Offset, low 32 bits")
f.stands_by = ProtoField.bool("fasp.stands_by", "Stands by", 8, nil, 0x08)
f.next_flow = ProtoField.uint8("fasp.next_flow", "Flow")
f.agree_serial = ProtoField.uint64("fasp.agree_serial", "Exchange")
f.public_key = ProtoField.bytes("fasp.public_key", "Public key")
f.next = ProtoField.uint64("fasp.next", "Next packet")
f.members = ProtoField.uint64("fasp.members", "Members")
f.back_off = ProtoField.uint64("fasp.back_off", "Back-off (us)")
f.member_clock = ProtoField.uint64("fasp.member_clock", "Clock (ms)")
f.serial = ProtoField.uint64("fasp.serial", "Serial")
f.ciphers = ProtoField.bytes("fasp.ciphers", "Ciphers")
f.own_id = ProtoField.uint32("fasp.own_id", "Id", base.HEX)
f.phase = ProtoField.uint8("fasp.phase", "Key phase", base.DEC, nil, 0x40)
f.encrypted = ProtoField.bytes("fasp.encrypted", "Encrypted")
f.cookie = ProtoField.bytes("fasp.cookie", "Cookie")
f.role = ProtoField.uint8("fasp.role", "Role", base.DEC, roles)
f.latency = ProtoField.uint32("fasp.latency", "Latency (ms)")
f.streamid = ProtoField.string("fasp.streamid", "Stream id")
f.start = ProtoField.uint64("fasp.start", "First block")
f.window = ProtoField.uint64("fasp.window", "Window (blocks)")
f.datagram_max = ProtoField.uint16("fasp.datagram_max", "Largest UDP payload")
f.resume = ProtoField.bytes("fasp.resume", "Resume")
f.reason = ProtoField.uint16("fasp.reason", "Reason", base.DEC, reasons)
f.text = ProtoField.string("fasp.text", "Text")
f.flow = ProtoField.uint8("fasp.flow", "Flow", base.DEC, nil, 0x3f)
f.id = ProtoField.uint32("fasp.id", "Connection id", base.HEX)
f.pn = ProtoField.uint24("fasp.pn", "Packet number")
f.frame = ProtoField.uint8("fasp.frame", "Frame", base.HEX)
f.token = ProtoField.bytes("fasp.token", "Token")
f.number = ProtoField.uint64("fasp.number", "Block")
f.block = ProtoField.uint24("fasp.block", "Block")
f.round = ProtoField.uint8("fasp.round", "Round", base.DEC, nil, 0x70)
f.copy = ProtoField.uint8("fasp.copy", "Copy", base.DEC, nil, 0x0c)
f.mark = ProtoField.bool("fasp.mark", "Mark", 8, nil, 0x01)
f.eos = ProtoField.bool("fasp.eos", "End of stream")
f.position = ProtoField.bytes("fasp.position", "Position")
f.wants = ProtoField.bytes("fasp.wants", "Wants")
f.origin = ProtoField.bytes("fasp.origin", "Origin")
f.offset = ProtoField.uint64("fasp.offset", "Offset")
f.media_time = ProtoField.uint32("fasp.media_time", "Media time (µs)")
f.fragment = ProtoField.string("fasp.fragment", "Fragment")
f.payload = ProtoField.bytes("fasp.payload", "Payload")
f.ack = ProtoField.uint64("fasp.ack", "Acknowledged below")
f.largest = ProtoField.uint24("fasp.largest", "Largest packet")
f.unsettled = ProtoField.uint64("fasp.unsettled", "Unsettled")
f.delay = ProtoField.uint64("fasp.delay", "Delay (µs)")
f.received = ProtoField.uint64("fasp.received", "Datagrams received")
f.holes = ProtoField.uint64("fasp.holes", "Holes settled")
f.told_latency = ProtoField.uint64("fasp.told_latency", "Latency (ms)")
f.skips = ProtoField.uint64("fasp.skips", "Skips")
f.wanted = ProtoField.uint64("fasp.wanted", "Key frames wanted")
f.interval = ProtoField.uint64("fasp.interval", "Seconds between skips")
f.missing = ProtoField.string("fasp.missing", "Missing")
f.tag = ProtoField.bytes("fasp.tag", "Tag")

-- value and size of the varint (RFC 9000, section 16) at `at'
local function varint(buffer, at)
    local log = bit.rshift(buffer(at, 1):uint(), 6)
    local size = bit.lshift(1, log)
    local value = buffer(at, 1):uint() % 64
    for i = 1, size - 1 do
        value = value * 256 + buffer(at + i, 1):uint()
    end
    return value, size
end

local function add_varint(tree, field, buffer, at, base_value)
    local value, size = varint(buffer, at)
    tree:add(field, buffer(at, size), UInt64((base_value or 0) + value))
    return (base_value or 0) + value, at + size
end

local function add_text(tree, buffer, at)
    tree:add(f.reason, buffer(at, 2))
    local size = buffer(at + 2, 1):uint()
    if size > 0 then tree:add(f.text, buffer(at + 3, size)) end
    return at + 3 + size
end

local option_fields = { f.role, f.latency, f.streamid, f.start, f.window, f.datagram_max, f.resume,
    f.own_id, f.ciphers, f.flows, f.fec, f.arrivals, f.position, f.wants, f.group, f.group_key, f.header, f.offsets }

local function options(tree, buffer, at, last)
    while at < last and buffer(at, 1):uint() ~= 0 do
        local id, size = buffer(at, 1):uint(), buffer(at + 1, 2):uint()
        if size == 0 and (option_fields[id] == f.group or option_fields[id] == f.header or option_fields[id] == f.offsets) then
            tree:add(option_fields[id], buffer(at, 3 + size))
        elseif option_fields[id] and size > 0 then
            tree:add(option_fields[id], buffer(at + 3, size))
        end
        at = at + 3 + size
    end
end

-- length and message; the hello in it where it is readable: behind the point of NN
local function message(tree, buffer, at, pattern)
    local size = buffer(at, 2):uint()
    if size == 0 then return end
    local found = tree:add(f.message, buffer(at + 2, size))
    if pattern == 1 and size > 32 then options(found, buffer, at + 34, at + 2 + size) end
end

local function handshake(buffer, tree)
    local kind = buffer(0, 1):uint() % 16
    tree:add(f.type, buffer(0, 1))
    tree:add(f.version, buffer(1, 1))
    tree:add(kind == 1 and f.hint or f.to, buffer(2, 4))
    tree:add(f.from, buffer(6, 4))
    tree:add(f.nonce, buffer(10, 16))
    local at = 26
    if kind == 1 or kind == 2 then
        local size = buffer(at, 1):uint()
        if size > 0 then tree:add(f.cookie, buffer(at + 1, size)) end
        at = at + 1 + size
        if kind == 1 then
            tree:add(f.pattern, buffer(at, 1))
            message(tree, buffer, at + 1, buffer(at, 1):uint())
        end
    elseif kind == 3 then
        message(tree, buffer, at)
    elseif kind == 4 then
        add_text(tree, buffer, at)
    end
    return types[kind] or "?"
end

local function feedback(tree, buffer, at)
    local flags, tail, ack, from, stop, count, value, size = buffer(at, 1):uint()
    tail = flags % 2
    tree:add(f.stands_by, buffer(at, 1))
    tree:add(f.serial, buffer(at + 1, 4))
    tree:add(f.clock, buffer(at + 5, 4))
    ack, at = add_varint(tree, f.ack, buffer, at + 9)
    value, at = add_varint(tree, f.window, buffer, at)
    value, at = add_varint(tree, f.told_latency, buffer, at)
    value, at = add_varint(tree, f.skips, buffer, at)
    value, at = add_varint(tree, f.wanted, buffer, at)
    if math.floor(flags / 4) % 2 == 1 then
        tree:add(f.origin, buffer(at, 16))
        tree:add(f.offset, buffer(at + 16, 8))
        at = at + 24
    end
    local flows = buffer(at, 1):uint()
    at = at + 1
    for _ = 1, flows do
        local flow = tree:add(f.flow, buffer(at, 1))
        flow:add(f.largest, buffer(at + 1, 3))
        value, at = add_varint(flow, f.unsettled, buffer, at + 4)
        value, at = add_varint(flow, f.delay, buffer, at)
        value, at = add_varint(flow, f.received, buffer, at)
        value, at = add_varint(flow, f.holes, buffer, at)
        if math.floor(flags / 2) % 2 == 1 then
            value, at = add_varint(flow, f.marked, buffer, at)
            local told = buffer(at, 1):uint()
            at = at + 1
            for _ = 1, told do
                local start, back, before = at
                back, size = varint(buffer, at)
                at = at + size
                before, size = varint(buffer, at)
                at = at + size
                flow:add(f.arrival, buffer(start, at - start), string.format("%d packets, %d us before", back, before))
            end
        end
    end
    value, size = varint(buffer, at)
    from, at = ack + value, at + size
    value, size = varint(buffer, at)
    stop, at = from + value, at + size
    count, size = varint(buffer, at)
    at = at + size
    local position = from
    for _ = 1, count do
        local start = at
        value, size = varint(buffer, at)
        local first = position + value
        at = at + size
        value, size = varint(buffer, at)
        position, at = first + value + 1, at + size
        tree:add(f.missing, buffer(start, at - start), string.format("%d..%d", first, position - 1))
    end
    return at, string.format("FEEDBACK ack=%d missing=%d%s%s", ack, count, tail == 1 and "" or "...",
        math.floor(flags / 8) % 2 == 1 and " stands by" or "")
end

local function data(tree, buffer, at, last)
    local first = buffer(at, 1):uint()
    tree:add(f.round, buffer(at, 1))
    tree:add(f.copy, buffer(at, 1))
    tree:add(f.mark, buffer(at, 1))
    tree:add(f.block, buffer(at + 1, 3))
    tree:add(f.media_time, buffer(at + 4, 4))
    local what = string.format("DATA %d%s%s", buffer(at + 1, 3):uint(),
        first % 128 >= 16 and " rex" or "", first % 2 == 1 and (at + 8 < last and " mark" or " end") or "")
    if first % 2 == 1 and at + 8 == last then tree:add(f.eos, true) end
    at = at + 8
    if math.floor(first / 2) % 2 == 1 then
        local part = buffer(at, 1):uint()
        tree:add(f.fragment, buffer(at, 3), string.format("%d of %d, block of %d bytes",
            math.floor(part / 16) + 1, part % 16 + 1, buffer(at + 1, 2):uint()))
        at = at + 3
    end
    if first % 2 == 1 and last - at == 25 and buffer(at, 1):uint() == 1 then
        tree:add(f.origin, buffer(at + 1, 16))
        tree:add(f.offset, buffer(at + 17, 8))
    elseif at < last then
        tree:add(f.payload, buffer(at, last - at))
    end
    return last, what
end

local function session(buffer, tree)
    local last = buffer:len() - 4
    tree:add(f.phase, buffer(0, 1))
    tree:add(f.flow, buffer(0, 1))
    tree:add(f.id, buffer(1, 4))
    tree:add(f.pn, buffer(5, 3))
    if not fasp.prefs.clear then
        tree:add(f.encrypted, buffer(8))
        return string.format("%d: encrypted, %d bytes", buffer(5, 3):uint(), buffer:len() - 8)
    end
    tree:add(f.tag, buffer(last, 4))
    local number = buffer(5, 3):uint()
    -- the tag is no part of a frame: one that is cut short fails, and the datagram is malformed
    buffer = buffer(0, last):tvb()
    local at, told = 8, {}
    while at < last do
        local kind, what, value = buffer(at, 1):uint(), nil, nil
        local frame = tree:add(f.frame, buffer(at, 1))
        frame:append_text(" (" .. (kind >= 0x80 and "DATA" or frames[kind] or "?") .. ")")
        if kind >= 0x80 then
            at, what = data(frame, buffer, at, last)
        elseif kind == 0 then
            at, what = last, string.format("PADDING %d", last - at)
        elseif kind == 1 or kind == 2 then
            frame:add(f.token, buffer(at + 1, 8))
            at, what = at + 9, frames[kind]
        elseif kind == 3 or kind == 5 then
            value, at = add_varint(frame, f.number, buffer, at + 1)
            what = string.format("%s %d", frames[kind], value)
        elseif kind == 4 then
            at, what = feedback(frame, buffer, at + 1)
        elseif kind == 6 then
            what = "CLOSE " .. (reasons[buffer(at + 1, 2):uint()] or "?")
            at = add_text(frame, buffer, at + 1)
        elseif kind == 7 then
            value, at = add_varint(frame, f.serial, buffer, at + 1)
            value, at = add_varint(frame, f.told_latency, buffer, at)
            what = string.format("PROMISE %d ms", value)
            value, at = add_varint(frame, f.interval, buffer, at)
            value, at = add_varint(frame, f.budget, buffer, at)
        elseif kind == 10 then
            frame:add(f.media_time, buffer(at + 1, 4))
            at, what = at + 5, "EXPIRED"
        elseif kind == 13 then
            frame:add(f.segment, buffer(at + 1, 1))
            frame:add(f.low_offset, buffer(at + 2, 4))
            at, what = at + 6, "OFFSET"
        elseif kind == 11 then
            frame:add(f.next_flow, buffer(at + 1, 1))
            value, at = add_varint(frame, f.next, buffer, at + 2)
            what = string.format("NEXT %d", value)
        elseif kind == 9 then
            value, at = add_varint(frame, f.number, buffer, at + 1)
            what = string.format("POSITION of %d", value)
            frame:add(f.origin, buffer(at, 16))
            frame:add(f.offset, buffer(at + 16, 8))
            at = at + 24
        elseif kind == 8 then
            frame:add(f.first_block, buffer(at + 1, 3))
            frame:add(f.blocks, buffer(at + 4, 2))
            frame:add(f.key, buffer(at + 6, 2))
            frame:add(f.span, buffer(at + 8, 2))
            what = string.format("REPAIR of %d from %d", buffer(at + 4, 2):uint(), buffer(at + 1, 3):uint())
            at = last
        elseif kind == 12 then
            value, at = add_varint(frame, f.members, buffer, at + 1)
            what = string.format("GROUP of %d", value)
            value, at = add_varint(frame, f.back_off, buffer, at)
            value, at = add_varint(frame, f.member_clock, buffer, at)
        elseif kind == 14 then
            value, at = add_varint(frame, f.agree_serial, buffer, at + 1)
            frame:add(f.public_key, buffer(at, 32))
            at, what = at + 32, string.format("AGREE %d", value)
        else
            at, what = last, "malformed"
        end
        table.insert(told, what)
    end
    return string.format("%d: %s", number, table.concat(told, ", "))
end

function fasp.dissector(buffer, pinfo, root)
    local size = buffer:len()
    if size < 12 then return 0 end
    local first = buffer(0, 1):uint()
    if first < 0x80 and math.floor(first / 16) ~= 4 then return 0 end
    pinfo.cols.protocol = "fasp"
    local tree = root:add(fasp, buffer())
    local ok, told = pcall(first >= 0x80 and session or handshake, buffer, tree)
    pinfo.cols.info = ok and told or "malformed"
    return size
end

-- a handshake is told by its shape; its ports are fasp's from then on
fasp:register_heuristic("udp", function(buffer, pinfo, root)
    if buffer:len() < 26 or math.floor(buffer(0, 1):uint() / 16) ~= 4
            or not types[buffer(0, 1):uint() % 16] or buffer(1, 1):uint() ~= version then
        return false
    end
    pinfo.conversation = fasp
    fasp.dissector(buffer, pinfo, root)
    return true
end)
DissectorTable.get("udp.port"):add_for_decode_as(fasp)
