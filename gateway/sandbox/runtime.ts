// The one file that imports @anthropic-ai/sandbox-runtime: its function for Linux, its function for macOS, and its helper.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { REFUSED, StartRefused } from './program.ts'

const PACKAGE = '@anthropic-ai/sandbox-runtime'
const HELPER_FOLDERS: Readonly<Record<string, string>> = { x64: 'x64', arm64: 'arm64' }

/** The helper that applies the seccomp filter: beside the build, outside its archive, or in the package. */
function helperFile(): string {
  const folder = HELPER_FOLDERS[process.arch]
  if (folder === undefined) return ''
  const built = fileURLToPath(new URL(`../seccomp/${folder}/apply-seccomp`, import.meta.url))
  if (existsSync(built)) return built.replace(/app\.asar(?=[/\\])/, 'app.asar.unpacked')
  const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)
  return path.join(path.dirname(manifest), 'vendor', 'seccomp', folder, 'apply-seccomp')
}

async function installed<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw new StartRefused(`${REFUSED}: the package ${PACKAGE} is not installed`, { cause: error })
  }
}

export const linuxRuntime = () =>
  installed(async () => ({
    helper: helperFile(),
    ...(await import('@anthropic-ai/sandbox-runtime/dist/sandbox/linux-sandbox-utils.js')),
  }))

export const macosRuntime = () =>
  installed(() => import('@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js'))
