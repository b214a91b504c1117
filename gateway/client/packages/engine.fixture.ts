// An engine double: a program that reads the arguments of `podman` and `docker`, refuses every other one, and runs a program in place of an image. As with both, a container is no child of the client's group, has none of its variables, and outlives it until it is removed by its name.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const DIGEST = `sha256:${'d'.repeat(64)}`
export const IMAGE = `ghcr.io/ada/notes@${DIGEST}`

/** Writes it as `name` into the folder; what it was asked is one JSON line each in `engine.log` there. */
export function anEngine(folder: string, name: string, server: string): string {
  const log = path.join(folder, 'engine.log')
  const file = path.join(folder, name)
  const containers = path.join(folder, 'containers')
  mkdirSync(containers, { recursive: true })
  const text = `#!${process.execPath}
const fs = require('node:fs')
const { join } = require('node:path')
const { spawn } = require('node:child_process')
const words = process.argv.slice(2)
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify(words) + '\\n')
const refuse = (why) => { process.stderr.write('Error: ' + why + '\\n'); process.exit(125) }
const command = words.shift()
// Name, and what its value looks like; null has none.
const RUN = {
  rm: null, interactive: null, init: null, 'read-only': null,
  pull: /^(always|missing|never|newer)$/, network: /^(none|host|bridge)$/, tmpfs: /^\\/[^:]*$/, 'cap-drop': /^[A-Za-z_]+$/,
  'security-opt': /^no-new-privileges$/, 'pids-limit': /^\\d+$/, 'stop-timeout': /^\\d+$/, memory: /^\\d+[bkmg]$/, name: /^[A-Za-z0-9][\\w.-]*$/,
  mount: /^type=bind,source=\\/[^,]*,target=\\/[^,]*(,readonly)?$/, env: /^[A-Za-z_]\\w*(=.*)?$/s,
}
const options = []
while (words[0]?.startsWith('--') && (command === 'run')) {
  const [, key, value] = /^--([a-z-]+)(?:=(.*))?$/.exec(words.shift()) ?? refuse('unknown flag')
  if (!Object.hasOwn(RUN, key)) refuse('unknown flag: --' + key)
  if (RUN[key] === null ? value !== undefined : !RUN[key].test(value ?? '')) refuse('invalid argument for --' + key)
  if (key === 'mount' && !fs.existsSync(/source=([^,]*)/.exec(value)[1])) refuse('bind source path does not exist')
  options.push([key, value])
}
if (command === 'pull') {
  if (words.length !== 2 || words[0] !== '--quiet') refuse('usage: pull --quiet IMAGE')
  if (!words[1].startsWith('ghcr.io/ada/notes:')) refuse('manifest unknown')
  process.stdout.write(${JSON.stringify(DIGEST)} + '\\n')
} else if (command === 'image') {
  if (words.length !== 4 || words[0] !== 'inspect' || words[1] !== '--format' || words[2] !== '{{json .RepoDigests}}') refuse('usage: image inspect')
  process.stdout.write(JSON.stringify(['docker.io/other/name@sha256:' + 'e'.repeat(64), ${JSON.stringify(IMAGE)}]) + '\\n')
} else if (command === 'rm') {
  if (words.length !== 2 || words[0] !== '--force') refuse('usage: rm --force NAME')
  const file = join(${JSON.stringify(containers)}, words[1])
  if (fs.existsSync(file)) {
    try { process.kill(Number(fs.readFileSync(file, 'utf8')), 'SIGKILL') } catch {}
    fs.rmSync(file, { force: true })
  }
} else if (command === 'ps') {
  const wanted = /^--filter=name=(.+)$/.exec(words[1] ?? '')?.[1]
  if (words.length !== 3 || words[0] !== '--all' || wanted === undefined || words[2] !== '--format={{.Names}}') refuse('usage: ps')
  for (const each of fs.readdirSync(${JSON.stringify(containers)})) if (new RegExp(wanted).test(each)) process.stdout.write(each + '\\n')
} else if (command === 'run') {
  const image = words.shift()
  if (image !== ${JSON.stringify(IMAGE)}) refuse('manifest unknown')
  const env = Object.fromEntries(options.filter(([key]) => key === 'env').flatMap(([, word]) => { const [key, ...value] = word.split('='); return value.length > 0 ? [[key, value.join('=')]] : key in process.env ? [[key, process.env[key]]] : [] }))
  const name = options.find(([key]) => key === 'name')?.[1] ?? refuse('a container without a name is left behind')
  const file = join(${JSON.stringify(containers)}, name)
  if (fs.existsSync(file)) refuse('that name is already in use')
  const child = spawn(process.execPath, [${JSON.stringify(server)}, ...words], { stdio: 'inherit', env, detached: true })
  fs.writeFileSync(file, String(child.pid))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('close', (code) => { fs.rmSync(file, { force: true }); process.exit(code ?? 137) })
} else refuse('unknown command ' + command)
`
  writeFileSync(file, text)
  chmodSync(file, 0o755)
  return log
}
