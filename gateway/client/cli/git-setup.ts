// `gantry pcg git-setup`: graphs of a repository are compared and merged by this program. Writes two files and starts none.
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Command } from './command.ts'
import { Trouble } from './exit.ts'
import { writeFile } from './graph-file.ts'

const SECTIONS = {
  'diff "gantry-pcg"': {
    // Of git's seven words: the path, the old file, the new file. Git takes any exit code but 0 as a failure.
    command: '"f() { gantry pcg diff \\"$2\\" \\"$5\\" --label \\"$1\\" || test $? -eq 1; }; f"',
  },
  'merge "gantry-pcg"': {
    name: 'PCG graphs',
    driver: 'gantry pcg merge %O %A %B -o %A --label %P',
  },
} as const
const ATTRIBUTES = ['*.pcg.yaml', '*.pcg.json'].map((files) => `${files} diff=gantry-pcg merge=gantry-pcg`)

/** The folder with `config`: that of the repository, also from a work tree or a submodule. */
function gitFolder(root: string): string {
  const entry = path.join(root, '.git')
  if (!existsSync(entry)) throw new Trouble(`${root} is not the top folder of a git repository: it has no .git`)
  if (statSync(entry).isDirectory()) return entry
  const named = /^gitdir: (.+)$/m.exec(readFileSync(entry, 'utf8'))?.[1]
  if (named === undefined) throw new Trouble(`${entry} names no folder of git`)
  const folder = path.resolve(root, named.trim())
  const common = path.join(folder, 'commondir')
  return existsSync(common) ? path.resolve(folder, readFileSync(common, 'utf8').trim()) : folder
}

/** Our sections replaced, all others as they were. */
export function withSections(config: string): string {
  const kept: string[] = []
  let ours = false
  for (const line of config.split('\n')) {
    const header = /^\[([^\]]*)\]/.exec(line)?.[1]
    if (header !== undefined) ours = Object.hasOwn(SECTIONS, header)
    if (!ours) kept.push(line)
  }
  const before = kept.join('\n').trimEnd()
  const sections = Object.entries(SECTIONS).map(
    ([header, values]) =>
      `[${header}]\n${Object.entries(values)
        .map(([key, value]) => `\t${key} = ${value}\n`)
        .join('')}`,
  )
  return `${before === '' ? '' : `${before}\n`}${sections.join('')}`
}

export const gitSetup: Command = {
  name: 'pcg git-setup',
  summary: 'Compare and merge the graphs of a git repository with this program',
  args: ['folder'],
  run({ arg, tell }) {
    const root = arg(0)
    const config = path.join(gitFolder(root), 'config')
    const attributes = path.join(root, '.gitattributes')
    const lines = existsSync(attributes) ? readFileSync(attributes, 'utf8').trimEnd().split('\n') : []
    const missing = ATTRIBUTES.filter((line) => !lines.includes(line))
    if (missing.length > 0) writeFile(attributes, `${[...lines, ...missing].filter(Boolean).join('\n')}\n`)
    writeFile(config, withSections(existsSync(config) ? readFileSync(config, 'utf8') : ''))
    tell({ config, attributes }, `${config} has the drivers; ${attributes} assigns them: commit it`)
  },
}
