// Archives from anywhere: what is refused before a byte is unpacked, and that damage is never unpacked.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zipOf } from '../../contract/zip.ts'
import { type Crafted, crafted } from './archive.fixture.ts'
import { membersOf } from './zip-reader.ts'

const textsOf = (archive: Buffer): Record<string, string> =>
  Object.fromEntries(membersOf(archive).map((member) => [member.path, member.read().toString()]))

/** The header and content of a file `b`. */
const INSIDE = crafted([{ name: 'b', data: 'x' }]).subarray(0, 32)

describe('an archive', () => {
  it('is read where it is stored or deflated, with programs, folders, empty files and other scripts', () => {
    const members = membersOf(
      crafted([
        { name: 'server/', mode: 0o040755 },
        { name: 'server/main.js', data: 'x'.repeat(10_000), isDeflated: true },
        { name: 'server/run', data: '#!', mode: 0o100755 },
        { name: '猫.txt' },
        { name: '.config/console.js' },
        { name: 'nullable.com10' },
      ]),
    )
    expect(members.map(({ path, isProgram, bytes }) => [path, isProgram, bytes])).toEqual([
      ['server/main.js', false, 10_000],
      ['server/run', true, 2],
      ['猫.txt', false, 0],
      ['.config/console.js', false, 0],
      ['nullable.com10', false, 0],
    ])
    expect(members[0]?.read().toString()).toBe('x'.repeat(10_000))
  })

  it('of our own is read, and so is one with a signature behind it', () => {
    const files = [
      { path: 'a/b', text: 'ü', isProgram: true },
      { path: 'c', text: new Uint8Array([1, 2]) },
    ]
    const own = Buffer.from(zipOf(files))
    expect(membersOf(own).map(({ path, isProgram }) => [path, isProgram])).toEqual([
      ['a/b', true],
      ['c', false],
    ])
    expect(textsOf(Buffer.concat([own, Buffer.from('MCPB_SIG_V1….')]))).toMatchObject({ 'a/b': 'ü' })
  })

  const one = (given: Partial<Crafted>): readonly Crafted[] => [{ name: 'a', data: 'text', ...given }]
  it.each<[string, readonly Crafted[], string]>([
    ['a parent folder', one({ name: '../a' }), 'leads out of it'],
    ['a parent folder inside', one({ name: 'b/../../a' }), 'leads out of it'],
    ['an absolute name', one({ name: '/etc/passwd' }), 'leads out of it'],
    ['a name with a backslash', one({ name: '..\\a' }), 'a backslash'],
    ['a name with NUL', one({ name: 'a\0b' }), 'control character'],
    ['a name with an empty part', one({ name: 'a//b' }), 'leads out of it'],
    ['a name that is too long', one({ name: 'a'.repeat(2_000) }), 'too long'],
    ['a drive', one({ name: 'C:/Windows/a.dll' }), 'on Windows'],
    ['a drive without a folder', one({ name: 'C:a.dll' }), 'on Windows'],
    ['a share', one({ name: '//server/share/a' }), 'leads out of it'],
    ['a stream of another file', one({ name: 'manifest.json:more' }), 'on Windows'],
    ['the main stream of another file', one({ name: 'server/main.js::$DATA' }), 'on Windows'],
    ['a dot at the end', one({ name: 'server/main.js.' }), 'on Windows'],
    ['a space at the end', one({ name: 'server/main.js ' }), 'on Windows'],
    ['a folder that ends with a dot', one({ name: 'server./main.js' }), 'on Windows'],
    ['dots only', one({ name: '.../a' }), 'on Windows'],
    ['a space and dots', one({ name: '.. /a' }), 'on Windows'],
    ['a wildcard', one({ name: 'a?.js' }), 'on Windows'],
    ...['NUL', 'nul.txt', 'server/Con', 'aux.js', 'COM1', 'lpt9.log', 'com\u00b2', 'CONIN$', 'nul .txt', 'prn/a'].map(
      (name): [string, readonly Crafted[], string] => [`the device ${name}`, one({ name }), 'on Windows'],
    ),
    ['a symbolic link', one({ mode: 0o120777 }), 'a link or a device'],
    ['a device', one({ mode: 0o020644 }), 'a link or a device'],
    ['a folder that is a link', one({ name: 'a/', mode: 0o120777 }), 'a link or a device'],
    ['encryption', one({ flags: 0x0801 }), 'encrypted'],
    ['a size above the limit', one({ bytes: 300_000_000 }), 'more than 256 MiB'],
    [
      'a total above the limit',
      ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, bytes: 268_000_000 })),
      'more than 1 GiB',
    ],
    ['one name twice', [{ name: 'a' }, { name: 'a' }], 'twice'],
    ['names that differ in case only', [{ name: 'Main.js' }, { name: 'main.js' }], 'twice'],
    ['letters that are one in upper case', [{ name: '\u017ferver' }, { name: 'server' }], 'twice'],
    ['a file that is a folder too', [{ name: 'a' }, { name: 'a/b' }], 'a file and a folder'],
    ['two names for one content', [{ name: 'a' }, { name: 'b', from: 0 }], 'two descriptions'],
    [
      'a file inside another',
      [
        { name: 'a', data: INSIDE },
        { name: 'b', data: 'x', from: 31 },
      ],
      'overlaps',
    ],
    ['another name in the header', one({ localName: 'b' }), 'two descriptions'],
  ])('with %s is refused', (_what, members, why) => {
    expect(() => membersOf(crafted(members))).toThrow(why)
  })

  it('that unpacks to more than it says is not unpacked beyond that', () => {
    const bomb = { name: 'a', data: Buffer.alloc(2_000_000), isDeflated: true, bytes: 1_000 }
    const [member] = membersOf(crafted([bomb]))
    expect(() => member?.read()).toThrow('larger than it says')
    const [less] = membersOf(crafted([{ name: 'a', data: 'text', isDeflated: true, bytes: 9 }]))
    expect(() => less?.read()).toThrow('not what the directory says')
    const [changed] = membersOf(crafted([{ name: 'a', data: 'text', crc: 1 }]))
    expect(() => changed?.read()).toThrow('not what the directory says')
  })

  it('with any damage is refused or read as what it was, and names stay inside', () => {
    const whole = crafted([
      { name: 'manifest.json', data: '{}' },
      { name: 'server/main.js', data: 'y'.repeat(300), isDeflated: true },
    ])
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
        fc.nat(whole.length),
        (changes, cutAt) => {
          const damaged = Buffer.from(whole)
          for (const [at, value] of changes) damaged[at] = value
          for (const archive of [damaged, damaged.subarray(0, cutAt)])
            try {
              for (const member of membersOf(archive)) {
                expect(member.path).not.toMatch(/^\/|(^|\/)\.\.?(\/|$)|\\|\0|:|[. ](\/|$)/)
                expect(member.read().length).toBe(member.bytes)
              }
            } catch (error) {
              expect((error as Error).message).toMatch(/^the archive is refused: /)
            }
        },
      ),
      { numRuns: Number(process.env['GANTRY_FUZZ_RUNS'] ?? 300) },
    )
  })
})
