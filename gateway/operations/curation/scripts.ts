// The script of a composite as it is stored: its JavaScript, its author, and the hash that an approval is of.
import { createHash } from 'node:crypto'
import type { CompositeDetail } from '../../contract/admin/composites.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Composite } from '../../registry/curated.ts'
import { canonical } from '../../registry/tool-diff.ts'
import type { StoredScript } from '../../storage/stored.ts'

/** As a client sends it; what is stored has more. */
export type GivenScript = Pick<StoredScript, 'source' | 'outputSchema'> & Partial<StoredScript>
type Scripted = Pick<Composite, 'inputSchema' | 'steps'> & { readonly script: GivenScript | null }

/** Of all that decides what it does: the text, its schemas, and the tools it may call. */
function scriptHash({ inputSchema, steps, script }: Scripted): string {
  const tools = new Set(steps.map(({ targetClient, targetTool }) => `${targetClient}__${targetTool}`))
  const approved = { source: script?.source, inputSchema, outputSchema: script?.outputSchema, tools: [...tools].sort() }
  return createHash('sha256').update(canonical(approved)).digest('hex')
}

/** With its author: who changed what an approval is of, else who did before. */
export function authored<D extends Scripted>(after: D, name: string, before: Scripted | undefined): D {
  const { script } = after
  if (script === null) return after
  const isSame = before?.script != null && scriptHash(before) === scriptHash(after)
  return { ...after, script: isSame ? before.script : { ...script, author: name } }
}

export function storedScript(
  given: Scripted & { readonly script: GivenScript },
  author: string,
  js?: string,
): StoredScript {
  const { source, outputSchema, js: known } = given.script
  return { source, outputSchema, js: js ?? known ?? '', hash: scriptHash(given), author: given.script.author ?? author }
}

/** Undefined where no new text is given. */
export async function compiledScript(script: GivenScript | null | undefined): Promise<string | undefined> {
  if (script == null) return undefined
  const { compileScript } = await import('../../pipeline/script/isolates.ts')
  const compiled = await compileScript(script.source)
  if ('js' in compiled) return compiled.js
  const { line, message: reason } = compiled.problem
  const message = `The script cannot be read: ${/\(line \d+\)$/.test(reason) ? reason : `${reason} (line ${line})`}`
  throw new GatewayError('INVALID_SCRIPT', message, { fields: [{ path: 'script.source', message }] })
}

/** An audit entry holds the hash: the text is in the versions. */
export function auditedScript<D extends Scripted>(settings: D): Readonly<Record<string, unknown>> {
  const { script, ...others } = settings
  return script === null ? others : { ...others, script: scriptHash(settings) }
}

export function shownScript(composite: Composite): Pick<CompositeDetail, 'script' | 'review'> {
  const { script, approvedBy, approvedAt } = composite
  if (script === null) return { script: null, review: null }
  const { source, outputSchema, hash, author } = script
  return {
    script: { source, outputSchema: outputSchema && { ...outputSchema } },
    review: { hash, author, approvedBy, approvedAt },
  }
}
