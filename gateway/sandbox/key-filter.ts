// A filter of system calls that leaves no key ring: a program inherits that of the login, and no namespace takes it away.
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** What the kernel calls a processor, and the first of three neighbours: add_key, request_key, keyctl. */
const CALLS: Readonly<Record<string, readonly (readonly [processor: number, first: number])[]>> = {
  x64: [
    [0xc000003e, 248],
    [0x40000003, 286],
  ],
  arm64: [
    [0xc00000b7, 217],
    [0x40000028, 309],
  ],
}

const [LOAD, AND, EQUAL, ABOVE, LEAST, RETURN] = [0x20, 0x54, 0x15, 0x25, 0x35, 0x06]
const [NUMBER, PROCESSOR] = [0, 4]
/** Of x32, which has the numbers of x64 with this bit. */
const WITHOUT_X32 = 0xbfffffff
const [ALLOWED, FORBIDDEN] = [0x7fff0000, 0x00050001]

type Step = readonly [code: number, value: number, skipIfTrue?: number, skipIfFalse?: number]

/** Classic BPF, as `bwrap --seccomp` reads it. */
export function keyFilter(arch: string): Buffer {
  const steps: readonly Step[] = [
    [LOAD, PROCESSOR],
    ...(CALLS[arch] ?? []).flatMap(([processor, first]): readonly Step[] => [
      [EQUAL, processor, 0, 6],
      [LOAD, NUMBER],
      [AND, WITHOUT_X32],
      [LEAST, first, 0, 2],
      [ABOVE, first + 2, 1, 0],
      [RETURN, FORBIDDEN],
      [RETURN, ALLOWED],
    ]),
    [RETURN, ALLOWED],
  ]
  const filter = Buffer.alloc(steps.length * 8)
  for (const [at, [code, value, whenTrue = 0, whenFalse = 0]] of steps.entries()) {
    filter.writeUInt16LE(code, at * 8)
    filter.writeUInt8(whenTrue, at * 8 + 2)
    filter.writeUInt8(whenFalse, at * 8 + 3)
    filter.writeUInt32LE(value, at * 8 + 4)
  }
  return filter
}

let opened: string | undefined

/** Open in this process for as long as it lives, under no name that anyone could write to. */
export function keyFilterFile(): string {
  if (opened !== undefined) return opened
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-filter-'))
  try {
    const file = openSync(path.join(folder, 'keys'), 'w+', 0o400)
    writeSync(file, keyFilter(process.arch))
    opened = `/proc/${process.pid}/fd/${file}`
  } finally {
    rmSync(folder, { recursive: true })
  }
  return opened
}
