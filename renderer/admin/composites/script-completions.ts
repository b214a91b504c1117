// What an editor of a script completes: its tools, its input, and what every script has. Pure.
import { t } from '../../language/language.ts'
import type { CompletionSource } from '../../ui/code-completion.ts'
import { isRecord } from '../../ui/form/shape.ts'
import { type CompositeDraft, jsonIn } from './draft.ts'

const HERE = [
  { code: 'call', about: t('Calls a tool and returns its JSON') },
  { code: 'tryCall', about: t('Calls a tool, and returns errors too') },
  { code: 'callMany', about: t('Calls several tools at once') },
  { code: 'keep', about: t('Keeps a value in the gateway') },
  { code: 'ToolError', about: t('Error of a call') },
  { code: 'console', about: t('Prints lines in a test') },
  { code: 'input', about: t('Arguments of the composite') },
  ...['await', 'const', 'return', 'export', 'async', 'function', 'throw', 'catch'].map((code) => ({ code, about: '' })),
]

export function completionsOf({ inputSchema, steps }: CompositeDraft): CompletionSource {
  const schema = jsonIn(inputSchema)?.value
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {}
  const input = Object.entries(properties).map(([code, each]) => ({
    code,
    about: isRecord(each) ? String(each.description ?? each.type ?? '') : '',
  }))
  const tools = steps.filter(({ tool }) => tool !== '').map(({ client, tool }) => `${client}__${tool}`)
  return {
    quoted: [...new Set(tools)].map((code) => ({ code, about: '' })),
    members: { input, console: [{ code: 'log', about: t('Prints lines in a test') }] },
    words: HERE,
  }
}
