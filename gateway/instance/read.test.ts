// Announcements are files: what is not certainly of a gateway of this user is passed over, and the reason is reported.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Announcement, announcementsIn } from './announcement.ts'
import { createAnnouncing } from './publish.ts'
import { readAnnouncements } from './read.ts'

const ID = '11111111-1111-4111-8111-111111111111'
const SOUND: Announcement = {
  format: 1,
  instance: ID,
  home: 'headless',
  machine: hostname(),
  pid: process.pid,
  url: 'http://127.0.0.1:8790',
  version: '1.0.0',
  startedAt: '2026-11-22T10:00:00.000Z',
  dataFolder: '/data',
  database: '/data/gantry.db',
  secret: 'a'.repeat(64),
}
const FACTS = {
  home: 'headless',
  version: '1.0.0',
  dataFolder: '/data',
  database: null,
  clock: { now: () => 0 },
} as const

const posix = process.platform !== 'win32'
const onPosix = posix ? '' : ' (skipped: no POSIX modes)'
const root = process.getuid?.() === 0
/** No process has it: the highest one Linux gives is below. */
const NOBODYS_PID = 2 ** 30

let folder = ''
beforeEach(() => {
  const home = mkdtempSync(path.join(tmpdir(), 'gantry-announced-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  folder = announcementsIn(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
})

function write(text: string | object = SOUND, name = `${ID}.json`, mode = 0o600): string {
  const file = path.join(folder, name)
  writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text), { mode })
  return file
}
const whyNot = (): readonly string[] => {
  const { running, passedOver } = readAnnouncements(folder)
  expect(running).toEqual([])
  return passedOver.map(({ why }) => why)
}

describe('passed over is', () => {
  it.each([
    ['no JSON', 'hello'],
    ['an empty file', ''],
    ['a list', '[]'],
    ['another format', { ...SOUND, format: 2 }],
    ['a word too many', { ...SOUND, key: 'mcp_secret' }],
    ['a name that is not its own', { ...SOUND, instance: '22222222-2222-4222-8222-222222222222' }],
    ['no address', { ...SOUND, url: 'javascript:alert(1)' }],
    ['a number that is no process', { ...SOUND, pid: -1 }],
    ['an invalid secret', { ...SOUND, secret: '../../etc' }],
  ])('%s', (_, text) => {
    write(text)
    expect(whyNot()).toEqual(['it is no announcement of a gateway'])
  })

  it('a huge file, unread', () => {
    write(JSON.stringify(SOUND) + ' '.repeat(20_000))
    expect(whyNot()).toEqual(['it is larger than any announcement'])
  })

  it('one whose process has ended', () => {
    write({ ...SOUND, pid: NOBODYS_PID })
    expect(whyNot()).toEqual([`process ${NOBODYS_PID}, which wrote it, has ended`])
  })

  it('in silence: one of another machine that shares the home', () => {
    write({ ...SOUND, machine: 'elsewhere', pid: NOBODYS_PID })
    expect(whyNot()).toEqual([])
  })

  it.skipIf(!posix)(`one that others may read or change${onPosix}`, () => {
    const file = write()
    for (const mode of [0o620, 0o640, 0o604, 0o666]) {
      chmodSync(file, mode)
      expect(whyNot()).toEqual(['other users may change or read it'])
    }
  })

  it.skipIf(!posix)(`a link, a folder, and a pipe without a writer${onPosix}`, () => {
    const elsewhere = write(SOUND, 'elsewhere')
    symlinkSync(elsewhere, path.join(folder, `${ID}.json`))
    mkdirSync(path.join(folder, 'folder.json'))
    spawnSync('sh', ['-c', 'mkfifo -m 600 "$1"', 'sh', path.join(folder, 'pipe.json')])
    expect(whyNot()).toEqual(['it is a link', 'it is no file', 'it is no file'])
  })

  it.skipIf(!root)(`one of another user${root ? '' : ' (skipped: only root can give files away)'}`, () => {
    chownSync(write(), 65_534, 65_534)
    expect(whyNot()).toEqual(['it belongs to another user'])
    chownSync(folder, 65_534, 65_534)
    expect(whyNot()).toEqual(['it belongs to another user'])
  })

  it.skipIf(!posix)(`everything in a folder that others may write to, or that a link leads to${onPosix}`, () => {
    write()
    chmodSync(folder, 0o770)
    expect(whyNot()).toEqual(['other users may change or read it'])
    chmodSync(folder, 0o700)
    chmodSync(path.dirname(folder), 0o777)
    expect(whyNot()).toEqual([`${path.dirname(folder)}: other users may change or read it`])
    chmodSync(path.dirname(folder), 0o700)
    const real = `${folder}-real`
    mkdirSync(real, { mode: 0o700 })
    rmSync(folder, { recursive: true })
    symlinkSync(real, folder)
    expect(whyNot()).toEqual(['it is a link'])
  })
})

describe('an announcement', () => {
  it('is written whole, for this user alone, and goes when it is withdrawn', () => {
    const announcing = createAnnouncing(folder, FACTS)
    expect(announcing.prove('0'.repeat(32))).toBeUndefined()
    announcing.publish(SOUND.url)
    const { running, passedOver } = readAnnouncements(folder)
    expect(passedOver).toEqual([])
    expect(running).toMatchObject([{ url: SOUND.url, pid: process.pid, home: 'headless', dataFolder: '/data' }])
    const [name = ''] = readdirSync(folder)
    if (posix) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(path.join(folder, name), 'utf8')).not.toMatch(/mcp_|key/i)
    expect(announcing.prove('0'.repeat(32))).toMatch(/^[0-9a-f]{64}$/)
    for (const odd of ['', 'x', '0'.repeat(31), '0'.repeat(4096)]) expect(announcing.prove(odd)).toBeUndefined()
    announcing.withdraw()
    expect(readdirSync(folder)).toEqual([])
    expect(announcing.prove('0'.repeat(32))).toBeUndefined()
  })

  it('clears away those of processes that were killed, and nothing else', () => {
    write({ ...SOUND, pid: NOBODYS_PID })
    write('hello', 'notes.json')
    const announcing = createAnnouncing(folder, FACTS)
    announcing.publish(SOUND.url)
    announcing.withdraw()
    expect(readdirSync(folder)).toEqual(['notes.json'])
  })

  it.skipIf(!posix)(`is not written where others could replace it${onPosix}`, () => {
    chmodSync(folder, 0o777)
    expect(() => createAnnouncing(folder, FACTS).publish(SOUND.url)).toThrow('other users may change or read it')
    expect(readdirSync(folder)).toEqual([])
  })
})
