// Where a virtual environment of Python has what, by platform, with `/`.
import path from 'node:path'

export type Venv = {
  readonly programs: string
  readonly python: string
  /** `minor`: of the version, as 3.12. */
  readonly site: (minor: string) => string
}

const POSIX: Venv = {
  programs: 'venv/bin',
  python: 'venv/bin/python',
  site: (minor) => path.posix.join('venv/lib', `python${minor}`, 'site-packages'),
}
const WINDOWS: Venv = {
  programs: 'venv/Scripts',
  python: 'venv/Scripts/python.exe',
  site: () => 'venv/Lib/site-packages',
}

export const venvOn = (platform: NodeJS.Platform): Venv => (platform === 'win32' ? WINDOWS : POSIX)
