// What a reviewer of a script has: its versions, its types, the steps as a script, and the approval of exactly the text that was read.
import type { CheckInput, CompositeDetail, ScriptCheck, ScriptVersion } from '../../contract/admin/composites.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Raw } from '../../contract/route.ts'
import { scriptFromSteps } from '../../pipeline/script/from-steps.ts'
import { limitsOf, type ScriptLimits } from '../../pipeline/script/run-script.ts'
import { schemaIn, typesOf } from '../../pipeline/script/types.ts'
import type { By } from '../../records/changes.ts'
import type { RecordBase } from '../../records/owned.ts'
import type { Tool } from '../../registry/backend.ts'
import { type Composite, type Curated, compositeOf } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { approveScript, compositeRows, scriptVersions } from '../../storage/composites.ts'
import { fromText } from '../../storage/json-text.ts'
import { findTool } from '../tools/tools.ts'

const checkedTool = ({ name, definition }: { readonly name: string; readonly definition: Tool['definition'] }) => ({
  name,
  input: definition.inputSchema,
  result: definition.outputSchema ?? schemaIn(definition.resultSchema) ?? null,
})

type ReviewDeps = RecordBase & {
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly curated: Pick<Curated, 'reloadComposite'>
  /** Throws where the actor has no such composite. */
  readonly required: (actor: Actor, name: string) => Composite
  readonly settled: (id: number, actor: Actor) => Promise<CompositeDetail>
  /** Throws where it is no schema that can be used. */
  readonly checkSchema: (schema: Composite['inputSchema'], field?: string) => void
  readonly settings: ScriptLimits & { readonly SCRIPT_TWO_PERSONS: boolean }
}

/** A key of agents is no person. The admin key of the environment is the administrator who has it. */
export function requireReviewer({ name, kind }: Actor, author: string, twoPersons: boolean): void {
  if (kind === 'key' || kind === 'system')
    throw new GatewayError('NOT_AN_APPROVER', 'A script is approved by a person: sign in, and approve it there')
  // Without sign-in, every caller has the same name and is no particular person.
  if (twoPersons && name === author && kind !== 'disabled')
    throw new GatewayError('SELF_APPROVAL', 'You wrote this script: another person must approve it')
}

export function createReview(deps: ReviewDeps) {
  const { database, changes, clock, registry, required, settled, checkSchema, settings } = deps

  const toolOf = (actor: Actor, client: string, name: string): Tool | undefined => {
    const backend = registry.known(client)
    return backend && mayTouch(actor, backend) ? findTool(backend, name) : undefined
  }

  return {
    async check({ actor }: By, { source, inputSchema, outputSchema, tools }: CheckInput): Promise<ScriptCheck> {
      checkSchema(inputSchema)
      if (outputSchema) checkSchema(outputSchema, 'outputSchema')
      const found = tools.flatMap(({ targetClient, targetTool }) => {
        const tool = toolOf(actor, targetClient, targetTool)
        return tool ? [{ name: `${targetClient}__${tool.name}`, definition: tool.definition }] : []
      })
      const { checkedScript } = await import('../../pipeline/script/isolates.ts')
      const problems = await checkedScript({ source, inputSchema, outputSchema, tools: found.map(checkedTool) })
      return {
        problems: problems.map((problem) => ({ ...problem })),
        types: typesOf({ inputSchema, outputSchema, tools: found }),
        limits: limitsOf(settings),
      }
    },

    async approve(by: By, name: string, { hash }: { readonly hash: string }): Promise<CompositeDetail> {
      const { id } = required(by.actor, name)
      await changes(by, async (tx, audit) => {
        const row = await compositeRows.byId(tx, id)
        const script = row && compositeOf(row).script
        if (script == null)
          throw new GatewayError('NOT_APPLICABLE', 'This composite has no script: its steps need no approval')
        if (script.hash !== hash)
          throw new GatewayError('PRECONDITION_FAILED', 'The script has changed since you read it; read it again', {
            details: { hash: script.hash },
          })
        requireReviewer(by.actor, script.author, settings.SCRIPT_TWO_PERSONS)
        await approveScript(tx, id, { hash, by: by.actor.name, at: new Date(clock.now()).toISOString() })
        await audit('composite.approve', name, { hash, author: script.author })
      })
      return settled(id, by.actor)
    },

    async versions(actor: Actor, name: string): Promise<{ items: ScriptVersion[] }> {
      const { id } = required(actor, name)
      const rows = await scriptVersions(database.query, id)
      return {
        items: rows.map(({ version, hash, author, created_at, approved_by, approved_at, definition }) => {
          const { source, inputSchema, outputSchema, tools } = fromText(definition)
          return {
            version,
            hash,
            author,
            createdAt: created_at,
            approvedBy: approved_by,
            approvedAt: approved_at,
            source,
            inputSchema: { ...inputSchema },
            outputSchema: outputSchema && { ...outputSchema },
            tools: [...tools],
          }
        }),
      }
    },

    types(actor: Actor, name: string): Raw {
      const { inputSchema, script, steps } = required(actor, name)
      const tools = steps.flatMap(({ targetClient: client, targetTool }) => {
        const tool = registry.known(client)?.tools.get(targetTool)
        return tool ? [{ name: `${client}__${targetTool}`, definition: tool.definition }] : []
      })
      const body = typesOf({ inputSchema, outputSchema: script?.outputSchema ?? null, tools })
      return { contentType: 'text/plain; charset=utf-8', body }
    },

    converted: (actor: Actor, name: string): { source: string } => ({
      source: scriptFromSteps(required(actor, name)),
    }),
  }
}
