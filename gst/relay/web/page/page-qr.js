/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * QR codes (ISO/IEC 18004) of texts: bytes, error correction level M, versions 1 to 20, which take 666 bytes. */

/* Of each version: the check bytes of a block, and the number of blocks (table 9 of the standard). */
const QR_CHECK = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const QR_BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];
const QR_QUIET = 4;             // modules of margin

/* Whether a module at row @y and column @x is turned, by mask. */
const QR_MASKS = [
  (y, x) => (y + x) % 2, y => y % 2, (y, x) => x % 3, (y, x) => (y + x) % 3, (y, x) => ((y >> 1) + Math.floor(x / 3)) % 2,
  (y, x) => y * x % 2 + y * x % 3, (y, x) => (y * x % 2 + y * x % 3) % 2, (y, x) => ((y + x) % 2 + y * x % 3) % 2];

/* Multiplies in GF(256), modulo x^8 + x^4 + x^3 + x^2 + 1. */
function qrMultiply(a, b) {
  let product = 0;
  for (; b; b >>= 1, a = a << 1 ^ (a & 128 ? 0x11d : 0))
    product ^= b & 1 ? a : 0;
  return product;
}

/* The remainder of @data, followed by @n zeros, by the product of all (x - 2^i), i < n. */
function qrCheck(data, n) {
  let divisor = [1], root = 1;
  for (let i = 0; i < n; i++, root = qrMultiply(root, 2))
    divisor = [...divisor, 0].map((value, k) => value ^ (k ? qrMultiply(divisor[k - 1], root) : 0));
  const rest = [...data, ...Array(n).fill(0)];
  for (let i = 0; i < data.length; i++)
    for (let k = 1, factor = rest[i]; k <= n; k++)
      rest[i + k] ^= qrMultiply(divisor[k], factor);
  return rest.slice(data.length);
}

/* @value, followed by the @n bits that make it divisible by @divisor. */
function qrExtend(value, n, divisor) {
  let rest = value << n;
  for (let bit = 31 - Math.clz32(divisor); rest >> bit; )
    rest ^= divisor << 31 - Math.clz32(rest) - bit;
  return value << n | rest;
}

/* The rows and columns in which alignment patterns have their centres. */
function qrAlignments(version) {
  const n = Math.floor(version / 7) + 2, last = 4 * version + 10, step = 2 * Math.ceil((last - 6) / (n - 1) / 2);
  return version === 1 ? [] : Array.from({length: n}, (_, i) => i ? last - (n - 1 - i) * step : 6);
}

/* An empty code: of each module, whether it is dark; null where data will be. */
function qrFrame(version) {
  const size = 4 * version + 17, rows = Array.from({length: size}, () => Array(size).fill(null)), centres = qrAlignments(version);
  const square = (row, column, radius, light) => {
    for (let y = -radius; y <= radius; y++)
      for (let x = -radius; x <= radius; x++)
        if (rows[row + y]?.[column + x] !== undefined)
          rows[row + y][column + x] = !light.includes(Math.max(Math.abs(y), Math.abs(x)));
  };
  for (let i = 8; i < size - 8; i++)
    rows[6][i] = rows[i][6] = i % 2 === 0;
  for (const row of centres)
    for (const column of centres)
      if (!(row === 6 && column === 6) && !(row === 6 && column === size - 7) && !(row === size - 7 && column === 6))
        square(row, column, 2, [1]);
  for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]])
    square(row, column, 4, [2, 4]);
  qrFormat(rows, 0);
  const bits = qrExtend(version, 12, 0x1f25);
  for (let i = 0; version >= 7 && i < 18; i++)
    rows[size - 11 + i % 3][Math.floor(i / 3)] = rows[Math.floor(i / 3)][size - 11 + i % 3] = (bits >> i & 1) === 1;
  return rows;
}

/* Writes level M and the mask beside the corners, twice. */
function qrFormat(rows, mask) {
  const size = rows.length, bits = qrExtend(mask, 10, 0x537) ^ 0x5412;
  for (let i = 0; i < 15; i++) {
    const dark = (bits >> i & 1) === 1;
    rows[i < 6 ? i : i < 8 ? i + 1 : size - 15 + i][8] = dark;
    rows[8][i < 8 ? size - 1 - i : i === 8 ? 7 : 14 - i] = dark;
  }
  rows[size - 8][8] = true;
}

/* How hard it is to read: long runs, squares, what looks like a corner, and much more light than dark, or the other way. */
function qrPenalty(rows) {
  const lines = [...rows, ...rows[0].map((_, x) => rows.map(row => row[x]))].map(line => line.map(Number).join(""));
  let penalty = 0, dark = 0;
  for (const line of lines) {
    penalty += (line.match(/0{5,}|1{5,}/g) ?? []).reduce((sum, run) => sum + run.length - 2, 0);
    penalty += 40 * (line.match(/(?=10111010000|00001011101)/g) ?? []).length;
  }
  rows.forEach((row, y) => row.forEach((one, x) => {
    dark += one;
    penalty += y && x && one === row[x - 1] && one === rows[y - 1][x] && one === rows[y - 1][x - 1] ? 3 : 0;
  }));
  return penalty + 10 * Math.floor(20 * Math.abs(dark / rows.length ** 2 - 0.5));
}

/* The bytes of a code: data and check bytes of all blocks, byte by byte of each in turn; @room: how many. */
function qrInterleave(data, version, room) {
  const n = QR_BLOCKS[version - 1], check = QR_CHECK[version - 1], short = Math.floor(room / n) - check, blocks = [];
  for (let i = 0, at = 0; i < n; i++) {
    const size = short + (i >= n - room % n);
    blocks.push(data.slice(at, at += size));
  }
  const take = (lists, size) => Array.from({length: size}, (_, k) => lists.filter(list => k < list.length).map(list => list[k])).flat();
  return [...take(blocks, short + 1), ...take(blocks.map(block => qrCheck(block, check)), check)];
}

/* The rows of the code of @text: of each module, whether it is dark. null: the text is too long. */
function qrEncode(text) {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= QR_BLOCKS.length; version++) {
    const frame = qrFrame(version), room = Math.floor(frame.flat().filter(one => one === null).length / 8);
    const most = room - QR_BLOCKS[version - 1] * QR_CHECK[version - 1], digits = version < 10 ? 8 : 16;
    if (4 + digits + 8 * bytes.length > 8 * most)
      continue;
    const head = (0b0100 << digits | bytes.length).toString(2).padStart(4 + digits, "0");
    const bits = (head + Array.from(bytes, byte => byte.toString(2).padStart(8, "0")).join("") + "0000").slice(0, 8 * most);
    const data = bits.match(/.{1,8}/g).map(byte => parseInt(byte.padEnd(8, "0"), 2));
    while (data.length < most)
      data.push(0xec, 0x11);
    data.length = most;
    return qrFill(frame, qrInterleave(data, version, room));
  }
  return null;
}

/* Puts bytes into the frame, upwards and downwards in columns of two, with the mask that is the easiest to read. */
function qrFill(frame, bytes) {
  const size = frame.length, places = [];
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    right -= right === 6;
    for (let i = 0; i < size; i++)
      for (const x of [right, right - 1])
        if (frame[up ? size - 1 - i : i][x] === null)
          places.push([up ? size - 1 - i : i, x]);
  }
  const codes = QR_MASKS.map((turns, mask) => {
    const rows = frame.map(row => [...row]);
    places.forEach(([y, x], i) => rows[y][x] = (bytes[i >> 3] >> 7 - i % 8 & 1) === 1 !== (turns(y, x) === 0));
    qrFormat(rows, mask);
    return {rows, penalty: qrPenalty(rows)};
  });
  return codes.reduce((best, code) => code.penalty < best.penalty ? code : best).rows;
}

/* A drawing of the code of @text, dark on light whatever the colours of the page are; null: the text is too long. */
function drawQr(text) {
  const rows = qrEncode(text), size = rows?.length + 2 * QR_QUIET;
  return rows && make("svg", {viewBox: `0 0 ${size} ${size}`, class: "qr", role: "img", "aria-label": `QR code of ${text}`},
                      make("path", {class: "light", d: `M0 0H${size}V${size}H0Z`}),
                      make("path", {class: "dark", d: rows.flatMap((row, y) => row.map((dark, x) =>
                        dark ? `M${x + QR_QUIET} ${y + QR_QUIET}h1v1h-1z` : "")).join("")}));
}
