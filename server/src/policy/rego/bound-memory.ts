const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const PAGE_BYTES = 65_536;
const NO_MAXIMUM = 0;
const MAXIMUM = 1;

/**
 * Sets a maximum for the memory of a WebAssembly module, for which Go's linker has no setting. Growing beyond it fails,
 * so that Go ends the program as being out of memory. (WebAssembly Core Specification, "Memory Section".)
 */
export function boundMemory(module: Uint8Array, maximumBytes: number): Uint8Array {
  for (let at = HEADER_BYTES; at < module.length;) {
    const begin = at;
    const id = module[at];
    const size = readNumber(module, at + 1);
    at = size.end + size.value;
    if (id !== MEMORY_SECTION) continue;
    const count = readNumber(module, size.end);
    if (count.value !== 1 || module[count.end] !== NO_MAXIMUM) break;
    const minimum = readNumber(module, count.end + 1);
    const limits = [
      MAXIMUM,
      ...numberBytes(minimum.value),
      ...numberBytes(maximumBytes / PAGE_BYTES),
    ];
    const section = [MEMORY_SECTION, ...numberBytes(limits.length + 1), 1, ...limits];
    return Buffer.concat([module.subarray(0, begin), Buffer.from(section), module.subarray(at)]);
  }
  throw new Error('The WebAssembly module has no memory without a maximum.');
}

/** An unsigned number in LEB128, and the offset of its end. */
function readNumber(bytes: Uint8Array, begin: number): { value: number; end: number } {
  let value = 0;
  for (let at = begin, factor = 1; ; at++, factor *= 128) {
    const byte = bytes[at];
    if (byte === undefined) throw new Error('The WebAssembly module is cut off.');
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}

function numberBytes(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}
