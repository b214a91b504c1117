// An editor on the command line: by the name of its record, or by the project that is open in it.
import type { Context } from './command.ts'
import { Trouble } from './exit.ts'

const last = (folder: string): string => folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder
const same = (a: string | null, b: string): boolean => a !== null && a.toLowerCase() === b.toLowerCase()

export async function editorNamed(api: Context['api'], given: string): Promise<string> {
  const { items } = await api.pcg.list({ query: { limit: '200' } })
  if (items.some(({ name }) => name === given)) return given
  const open = items.filter(
    ({ project, projectDir }) =>
      same(project, given) || same(projectDir, given) || (projectDir !== null && same(last(projectDir), given)),
  )
  const [only] = open
  if (only && open.length === 1) return only.name
  if (open.length > 1)
    throw new Trouble(`the project ${given} is open in ${open.map(({ name }) => name).join(' and ')}: name one of them`)
  throw new Trouble(
    `no editor and no project is named ${given}; there are: ${items.map(({ name, project }) => (project === null ? name : `${name} (${project})`)).join(', ')}`,
  )
}
