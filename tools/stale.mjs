// Whether dist/ still says what the sources say. Light, because every start asks.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './setup.mjs'

const STAMP = path.join(ROOT, 'dist', '.built')
const SOURCES = [
  'gateway',
  'pcg-bridge',
  'main',
  'preload',
  'renderer',
  'tools/build.ts',
  'tools/worker-urls.ts',
  'package-lock.json',
  'vite.renderer.config.ts',
]

function newest(file) {
  if (!existsSync(file)) return 0
  const stat = statSync(file)
  if (!stat.isDirectory()) return stat.mtimeMs
  const inside = readdirSync(file).filter((name) => !/\.(?:test|fixture)\./.test(name))
  return Math.max(0, ...inside.map((name) => newest(path.join(file, name))))
}

/** When the sources were last touched, in milliseconds. */
export function sourcesTouched() {
  return Math.max(...SOURCES.map((entry) => newest(path.join(ROOT, entry))))
}

export function isStale() {
  return !existsSync(STAMP) || Number(readFileSync(STAMP, 'utf8')) < sourcesTouched()
}

export function markBuilt(touched) {
  writeFileSync(STAMP, String(touched))
}
