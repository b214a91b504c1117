// Starts the application that `npm run dist` packed for this system: the gateway must run from the archive, in its own process.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const RELEASE = path.resolve(import.meta.dirname, '..', 'release')
const START_MS = 120_000
const QUIT_MS = 30_000

/** electron-builder names the folder of x64 without its processor. */
function packedProgram(): string {
  const arch = process.arch === 'x64' ? '' : `-${process.arch}`
  const places: Readonly<Record<string, string>> = {
    linux: path.join(`linux${arch}-unpacked`, 'gantry'),
    win32: path.join(`win${arch}-unpacked`, 'Gantry.exe'),
    darwin: path.join(`mac${arch}`, 'Gantry.app', 'Contents', 'MacOS', 'Gantry'),
  }
  const program = path.join(RELEASE, places[process.platform] ?? '')
  if (existsSync(program)) return program
  throw new Error(`${program} is missing; run npm run dist first. release/ has: ${readdirSync(RELEASE).join(', ')}`)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

const profile = mkdtempSync(path.join(tmpdir(), 'gantry-packaged-'))
const port = await freePort()
const child = spawn(packedProgram(), [`--user-data-dir=${profile}`], {
  env: { ...process.env, PORT: String(port) },
  stdio: ['ignore', 'inherit', 'inherit'],
})
let ended = false
const end = new Promise<void>((resolve) => child.once('exit', () => resolve(void (ended = true))))

async function isReady(): Promise<boolean> {
  const url = `http://127.0.0.1:${port}/readyz`
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

try {
  const deadline = Date.now() + START_MS
  while (!(await isReady())) {
    if (ended || Date.now() > deadline) throw new Error('The packaged application did not serve /readyz.')
    await sleep(200)
  }
  console.log(`The packaged application serves on port ${port}.`)
  child.kill('SIGTERM')
  await Promise.race([end, sleep(QUIT_MS, undefined, { ref: false })])
  if (!ended) throw new Error('The packaged application did not quit.')
} catch (error) {
  const log = path.join(profile, 'logs', 'gantry.log')
  console.error(error instanceof Error ? error.message : error)
  if (existsSync(log)) console.error(readFileSync(log, 'utf8'))
  process.exitCode = 1
} finally {
  child.kill('SIGKILL')
  await end
  rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}
