// The programs of Python packages on Windows: their .exe files name the folder that they were made in and start another process, so a script takes their place.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { venvOn } from '../../instance/venv.ts'

const SECTION = /^\[([^\]]*)\]$/
/** `name = module:object`, with extras behind it. */
const ENTRY = /^([^=]{1,200})=([\w.]{1,400}):([\w.]{1,400})(?:\[[^\]]*\])?$/

type Entry = { readonly module: string; readonly object: string }

/** Of one `entry_points.txt`: its console scripts by name. */
export function consoleScriptsIn(text: string): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>()
  let section = ''
  for (const line of text.split('\n').map((each) => each.trim())) {
    section = SECTION.exec(line)?.[1]?.trim() ?? section
    const [, name, module, object] = ENTRY.exec(line.replaceAll(/\s/g, '')) ?? []
    if (section === 'console_scripts' && name !== undefined && module !== undefined && object !== undefined)
      found.set(name, { module, object })
  }
  return found
}

/** What the .exe file would run. */
export const scriptOf = ({ module, object }: Entry): string => {
  const [first] = object.split('.')
  return `import sys\nfrom ${module} import ${first}\nif __name__ == '__main__':\n    sys.exit(${object}())\n`
}

const INFO = /\.dist-info$/

/** Writes the script of a program of the installed packages and removes their .exe files. The file, below the folder; a list of the programs where it is not one of them. */
export async function useConsoleScript(
  folder: string,
  program: string,
  platform: NodeJS.Platform,
): Promise<string | readonly string[]> {
  const { programs, python, site } = venvOn(platform)
  const at = path.join(folder, site(''))
  const infos = (await readdir(at)).filter((name) => INFO.test(name)).sort()
  const texts = infos.map((name) => readFile(path.join(at, name, 'entry_points.txt'), 'utf8').catch(() => ''))
  const scripts = new Map((await Promise.all(texts)).flatMap((text) => [...consoleScriptsIn(text)]))
  const entry = scripts.get(program)
  if (entry === undefined) return [...scripts.keys()].sort()
  // pip puts them beside the packages, uv beside Python.
  await rm(path.join(at, 'bin'), { recursive: true, force: true })
  const own = [...scripts.keys()].map((name) => `${name}.exe`).filter((name) => name !== path.posix.basename(python))
  for (const name of own) await rm(path.join(folder, programs, name), { force: true })
  const file = path.posix.join(programs, `${program}-script.py`)
  await writeFile(path.join(folder, file), scriptOf(entry))
  return file
}
