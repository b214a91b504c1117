// The sandbox of this machine proves itself: a small program in it tries what must fail and what must work, once in this process.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { DoorAddress } from '../net/door.ts'
import { openOsDoor } from './os-door.ts'
import { type OsSandbox, type OsSystem, type Program, StartRefused } from './program.ts'

type Kept = Pick<OsSandbox, 'home' | 'hidden'>

/** A start is two processes and some mounts; a machine that needs longer has another problem. */
const PROBE_MS = 20_000
const MOST_OUTPUT = 20_000
const NEVER = 'probe.invalid'

/**
 * Its arguments: its own folder, one that it may only read, one that is hidden, a file beside them, a port that is
 * not its door, and what its door asks for. What it wrote, moved and reached is looked at from outside.
 */
const PROGRAM = `
exec 2>&1
shown=$2 hidden=$3
printf written > "$1/written"
printf x > "$4"
printf x > "$shown/written"
ln "$hidden/word" "$1/linked"
mv "$hidden/word" "$1/moved"
for file in "$shown/word" "$hidden/word" "$1/linked" "$1/moved"; do
  word=
  read -r word < "$file"
  printf 'word %s\\n' "$word"
done
while read -r key value; do
  [ "$key" != Seccomp: ] || printf 'seccomp %s\\n' "$value"
done < /proc/self/status
(exec 3<> "/dev/tcp/127.0.0.1/$5")
at=\${HTTP_PROXY##*[/@]}
exec 3<> "/dev/tcp/\${at%:*}/\${at##*:}"
printf 'CONNECT ${NEVER}:443 HTTP/1.1\\r\\nHost: ${NEVER}:443\\r\\n%s\\r\\n' "$6" >&3
read -r answer <&3
printf 'door %s\\n' "$answer"
`

const proofs = new Map<string, Promise<string | undefined>>()

/** What was found, as a sentence; undefined where it holds. Kept for the life of this process. */
export function proofOf(system: OsSystem, kept: Kept): Promise<string | undefined> {
  const known = proofs.get(system.file)
  if (known !== undefined) return known
  const made = attempt(system, kept).catch((error: unknown) => {
    if (error instanceof StartRefused) return error.message
    return `it could not be tried: ${error instanceof Error ? error.message : String(error)}`
  })
  proofs.set(system.file, made)
  return made
}

async function attempt(system: OsSystem, kept: Kept): Promise<string | undefined> {
  const place = await mkdtemp(path.join(tmpdir(), 'gantry-proof-'))
  try {
    return await attemptIn(place, system, kept)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** A port of this machine, as the gateway has one: no sandboxed program may reach it. */
async function openBait() {
  let isReached = false
  const server = createServer((socket) => {
    isReached = true
    socket.on('error', () => undefined).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // Listening on a port, it has one.
    port: (server.address() as AddressInfo).port,
    isReached: () => isReached,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function attemptIn(place: string, system: OsSystem, kept: Kept): Promise<string | undefined> {
  const [own, shown, hidden] = ['own', 'shown', 'hidden'].map((name) => path.join(place, name)) as [
    string,
    string,
    string,
  ]
  const outside = path.join(place, 'outside')
  const [secret, visible] = [randomUUID(), randomUUID()]
  await Promise.all([own, shown, hidden].map((folder) => mkdir(folder)))
  await Promise.all([
    mkdir(path.join(own, 'tmp')),
    writeFile(path.join(shown, 'word'), `${visible}\n`),
    writeFile(path.join(hidden, 'word'), `${secret}\n`),
  ])
  let isAsked = false
  const bait = await openBait()
  const door = await openOsDoor(system, {
    hosts: [],
    pin: () => Promise.reject(new Error('no host is listed')),
    onPassage: ({ host }) => (isAsked ||= host === NEVER),
    clock: { now: () => 0 },
  })
  try {
    const { program, ended } = await system.wrap(
      {
        file: system.shell,
        args: ['-c', PROGRAM, 'proof', own, shown, hidden, outside, String(bait.port), authorizing(door.address)],
        env: { PATH: '/usr/bin:/bin' },
        cwd: own,
      },
      { own, writable: [], readable: [shown], home: kept.home, hidden: [...kept.hidden, hidden], door: door.address },
    )
    const output = await run(program).finally(ended)
    const escaped = [
      ...(existsSync(outside) || existsSync(path.join(shown, 'written')) ? ['write outside its folder'] : []),
      ...(output.includes(secret) || !existsSync(path.join(hidden, 'word')) ? ['reach a file that is hidden'] : []),
      ...(bait.isReached() ? ['connect to this machine without its door'] : []),
    ]
    if (escaped.length > 0) return `the sandbox of this machine let a program ${escaped.join(' and ')}`
    const written = await readFile(path.join(own, 'written'), 'utf8').catch(() => '')
    const lacks = [
      ...(written === 'written' ? [] : ['could not write to its folder']),
      ...(output.includes(visible) ? [] : ['could not read a declared folder']),
      ...(isAsked ? [] : ['did not reach its door']),
      ...(system.hasFilter && !output.includes('seccomp 2\n') ? ['had no seccomp filter'] : []),
    ]
    if (lacks.length === 0) return undefined
    return `in the sandbox of this machine a program ${lacks.join(' and ')} (${lastLine(output)})`
  } finally {
    await Promise.all([bait.close(), door.close()])
  }
}

const authorizing = (address: DoorAddress): string =>
  'token' in address
    ? `Proxy-Authorization: Basic ${Buffer.from(`gantry:${address.token}`).toString('base64')}\r\n`
    : ''

const lastLine = (output: string): string => output.trim().split('\n').at(-1)?.slice(0, 300) || 'it wrote nothing'

/** What it wrote to both of its outputs. Its group is ended in any case. */
function run({ file, args, cwd, env }: Program): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(file, [...args], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'], shell: false })
    let output = ''
    const end = (): void => {
      clearTimeout(late)
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It ended in the meantime.
      }
      resolve(output)
    }
    const late = setTimeout(end, PROBE_MS)
    const more = (chunk: Buffer): void => {
      if (output.length < MOST_OUTPUT) output += chunk.toString()
    }
    child.stdout.on('data', more)
    child.stderr.on('data', more)
    child.once('error', (error) => {
      output += error.message
      end()
    })
    child.once('close', end)
  })
}
