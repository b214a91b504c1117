// An engine double: a program that reads the arguments of `podman` and `docker` as they are documented, refuses every other one, and runs a program in place of an image.
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const DIGEST = `sha256:${'d'.repeat(64)}`
export const IMAGE = `ghcr.io/ada/notes@${DIGEST}`

/** Writes it as `name` into the folder; what it was asked is one JSON line each in `engine.log` there. */
export function anEngine(folder: string, name: string, server: string): string {
  const log = path.join(folder, 'engine.log')
  const file = path.join(folder, name)
  const text = `#!${process.execPath}
const fs = require('node:fs')
const { spawn } = require('node:child_process')
const words = process.argv.slice(2)
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify(words) + '\\n')
const refuse = (why) => { process.stderr.write('Error: ' + why + '\\n'); process.exit(125) }
const command = words.shift()
// Name, and what its value looks like; null has none.
const RUN = {
  rm: null, interactive: null, init: null, 'read-only': null,
  pull: /^(always|missing|never|newer)$/, network: /^(none|host|bridge)$/, tmpfs: /^\\/[^:]*$/, 'cap-drop': /^[A-Za-z_]+$/,
  'security-opt': /^no-new-privileges$/, 'pids-limit': /^\\d+$/, memory: /^\\d+[bkmg]$/, name: /^[A-Za-z0-9][\\w.-]*$/,
  mount: /^type=bind,source=\\/[^,]*,target=\\/[^,]*(,readonly)?$/, env: /^[A-Za-z_]\\w*$/,
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
} else if (command === 'run') {
  const image = words.shift()
  if (image !== ${JSON.stringify(IMAGE)}) refuse('manifest unknown')
  const env = Object.fromEntries(options.filter(([key]) => key === 'env').flatMap(([, key]) => key in process.env ? [[key, process.env[key]]] : []))
  spawn(process.execPath, [${JSON.stringify(server)}, ...words], { stdio: 'inherit', env }).on('close', (code) => process.exit(code ?? 1))
} else refuse('unknown command ' + command)
`
  writeFileSync(file, text)
  chmodSync(file, 0o755)
  return log
}
