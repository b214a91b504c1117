// Managing composites: checked before they are stored, live in every bundle that lists them. Contract 7.4, 10.8.

import type { CompositeDetail, CompositeSummary, CompositeTest } from '../../contract/admin/composites.ts'
import { GatewayError } from '../../contract/error.ts'
import { NAME, SEARCH_TOOL, type ToolRef } from '../../contract/names.ts'
import type { Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { foreignReference } from '../../discovery/manual.ts'
import { argumentsWithoutReserved, reservedOf } from '../../pipeline/0-admission/reserved.ts'
import { isUsableSchema } from '../../pipeline/0-admission/validator.ts'
import { outcomeLabel } from '../../pipeline/8-audit/count.ts'
import { compileSteps } from '../../pipeline/composite/compiled.ts'
import type { RunComposite, StepRan } from '../../pipeline/composite/run-composite.ts'
import { TemplateProblem } from '../../pipeline/composite/template.ts'
import type { ScriptLimits } from '../../pipeline/script/run-script.ts'
import type { Audit, By } from '../../records/changes.ts'
import { createOwned, type RecordBase } from '../../records/owned.ts'
import { bundleOf, type Composite, type CompositeStep, type Curated, compositeOf } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { bundleRows } from '../../storage/bundles.ts'
import { type CompositeRow, compositeRows } from '../../storage/composites.ts'
import { jsonText } from '../../storage/json-text.ts'
import type { Paging } from '../../storage/page.ts'
import type { Tx } from '../../storage/schema.ts'
import { toResult } from '../../surfaces/result.ts'
import { startSpan } from '../../telemetry/trace.ts'
import { adminCaller } from '../tools/admin-caller.ts'
import { findTool } from '../tools/tools.ts'
import { type CuratedFilter, curatedPage } from './curated-page.ts'
import { createReview } from './script-review.ts'
import { createStandIn, type Mocks } from './script-stand-in.ts'
import { auditedScript, authored, compiledScript, type GivenScript, shownScript, storedScript } from './scripts.ts'

type CompositesDeps = RecordBase & {
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly curated: Curated
  readonly runComposite: RunComposite
  readonly settings: ScriptLimits & { readonly SCRIPT_TWO_PERSONS: boolean }
}
type Testing = {
  readonly args: Readonly<Record<string, unknown>>
  readonly dryRun: boolean
  readonly mocks: Mocks
}
type Definition = Pick<Composite, 'name' | 'description' | 'enabled' | 'inputSchema' | 'steps' | 'output'> & {
  readonly script: GivenScript | null
}

const MAX_SCHEMA_BYTES = 64 * 1024
const MOST_TEXT = 4_096

const notFound = (): GatewayError => new GatewayError('COMPOSITE_NOT_FOUND', 'Composite not found')

export function checkCompositeName(name: string): void {
  if (NAME.test(name) && !name.includes('__') && name !== SEARCH_TOOL) return
  throw new GatewayError(
    'INVALID_NAME',
    `"${name.slice(0, 80)}" is no name of a composite: it must match ${NAME.source}, hold no "__" and not be ${SEARCH_TOOL}`,
  )
}

export function checkSchema(schema: Composite['inputSchema'], field = 'inputSchema'): void {
  const problem =
    schema.type !== 'object'
      ? 'must have the type "object"'
      : JSON.stringify(schema).length > MAX_SCHEMA_BYTES
        ? 'must be at most 64 KiB'
        : (foreignReference(schema) ?? (isUsableSchema(schema) ? undefined : 'is no JSON Schema that can be used'))
  if (problem === undefined) return
  throw new GatewayError('INVALID_SCHEMA', `${field} ${problem}`, { fields: [{ path: field, message: problem }] })
}

export function checkSteps(definition: Pick<Definition, 'steps' | 'output'>): void {
  try {
    compileSteps(definition)
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error
    const { path, message } = error
    throw new GatewayError('INVALID_STEPS', `${path}: ${message}`, { fields: [{ path, message }] })
  }
}

const settingsOf = (row: CompositeRow): Definition => {
  const { name, description, enabled, inputSchema, steps, output, script } = compositeOf(row)
  return { name, description, enabled, inputSchema, steps, output, script }
}

/** `js`: what a new text of its script compiles to. */
export const compositeColumns = (given: Omit<Definition, 'name'>, author: string, js?: string) => {
  const { description, enabled, inputSchema, steps, output, script } = given
  return {
    description,
    enabled: enabled ? 1 : 0,
    input_schema: jsonText(inputSchema),
    steps: jsonText(steps),
    output: output === null ? null : jsonText(output),
    script: script === null ? null : jsonText(storedScript({ ...given, script }, author, js)),
  } as const
}

export function createComposites({ registry, curated, runComposite, settings, ...base }: CompositesDeps) {
  const { changes, clock } = base
  const at = (): string => new Date(clock.now()).toISOString()

  function required(actor: Actor, name: string): Composite {
    const composite = curated.composite(name)
    if (composite === undefined || !mayTouch(actor, composite)) throw notFound()
    return composite
  }

  /** Steps by the stored names of their tools; what the actor or the composite's team does not reach does not exist. */
  function resolved(
    actor: Actor,
    teamId: number | null,
    steps: readonly CompositeStep[],
    kept: readonly CompositeStep[],
  ): CompositeStep[] {
    const keeps = new Set(kept.map(({ targetClient, targetTool }) => `${targetClient}__${targetTool}`))
    const missing: ToolRef[] = []
    const found = steps.map((step) => {
      const backend = registry.known(step.targetClient)
      const reached = backend && mayTouch(actor, backend) && mayTouch({ teamId }, backend)
      const tool = reached ? findTool(backend, step.targetTool) : undefined
      if (tool && tool.missingSince === null) return { ...step, targetTool: tool.name }
      if (!keeps.has(`${step.targetClient}__${step.targetTool}`))
        missing.push({ client: step.targetClient, tool: step.targetTool })
      return step
    })
    if (missing.length === 0) return found
    const names = missing.slice(0, 5).map(({ client, tool }) => `${client}__${tool}`)
    throw new GatewayError('UNKNOWN_TOOL', `There is no such tool: ${names.join(', ')}`, { details: { missing } })
  }

  const summary = (composite: Composite): CompositeSummary => ({
    name: composite.name,
    description: composite.description,
    enabled: composite.enabled,
    stepsCount: composite.steps.length,
    approved: composite.script === null ? null : composite.approved,
    bundles: [...curated.bundlesListing(composite.name)],
    teamId: composite.teamId,
  })

  const detail = (composite: Composite): CompositeDetail => ({
    ...summary(composite),
    inputSchema: { ...composite.inputSchema },
    steps: composite.steps.map((step) => ({ ...step })),
    // Stored as JSON, so it is JSON.
    output: composite.output as CompositeDetail['output'],
    ...shownScript(composite),
    revision: composite.revision,
    createdAt: composite.createdAt,
    updatedAt: composite.updatedAt,
    createdBy: composite.createdBy,
  })

  /** Takes the composite out of the bundles that list it. */
  async function unlist(tx: Tx, audit: Audit, name: string): Promise<void> {
    for (const row of await bundleRows.all(tx)) {
      const { composites } = bundleOf(row)
      if (!composites.includes(name)) continue
      const left = composites.filter((each) => each !== name)
      await bundleRows.update(tx, row.id, { composites: jsonText(left), updated_at: at() })
      await audit('bundle.update', row.name, { before: { composites: [...composites] }, after: { composites: left } })
    }
  }

  const owned = createOwned(
    {
      rows: compositeRows,
      noun: 'composite',
      key: 'name',
      order: 'name',
      notFound,
      taken: (name) => new GatewayError('ALREADY_EXISTS', `There is a composite "${name}" already`),
      settingsOf,
      columnsOf: (settings, { prepared }: { readonly prepared?: string }) =>
        compositeColumns(settings, settings.script?.author ?? '', prepared),
      present: (row) => detail(compositeOf(row)),
      prepare: ({ script }) => compiledScript(script),
      audited: auditedScript,
      check(after, actor, before) {
        const kept = before?.settings
        if (kept === undefined) checkCompositeName(after.name)
        if (after.inputSchema !== kept?.inputSchema) checkSchema(after.inputSchema)
        if (after.script?.outputSchema) checkSchema(after.script.outputSchema, 'script.outputSchema')
        checkSteps(after)
        // A tool that is gone by now may stay the target of its step; a new target must be there.
        const teamId = before ? before.row.team_id : actor.teamId
        const steps =
          after.steps === kept?.steps ? after.steps : resolved(actor, teamId, after.steps, kept?.steps ?? [])
        return authored({ ...after, steps }, actor.name, kept)
      },
      async detach(tx, { name }, audit) {
        await unlist(tx, audit, name)
        return { committed: () => curated.reloadComposite(name) }
      },
      saved: ({ name }) => curated.reloadComposite(name),
    },
    base,
  )

  return {
    ...owned,

    list: (actor: Actor, filter: CuratedFilter & Paging): Page<CompositeSummary> =>
      curatedPage(curated.composites(), actor, filter, summary),

    ...createReview({ ...base, registry, curated, required, settled: owned.settled, checkSchema, settings }),

    async test(by: By, name: string, { args, dryRun, mocks }: Testing): Promise<CompositeTest> {
      const composite = required(by.actor, name)
      const steps: StepRan[] = []
      const logs: string[] = []
      const standIn =
        dryRun && composite.script
          ? createStandIn({ query: base.database.query, registry, actor: by.actor, mocks })
          : undefined
      const { outcome, durationMs, attempts } = await runComposite(
        {
          requestId: by.requestId,
          surface: 'admin',
          bundle: null,
          sessionHash: null,
          caller: adminCaller(by.actor, registry),
          calledAs: name,
          composite,
          span: startSpan(null),
          args: argumentsWithoutReserved(args),
          reserved: reservedOf(args, null),
          requestBytes: Buffer.byteLength(JSON.stringify(args)),
          onCancel: () => undefined,
          onProgress: undefined,
        },
        {
          dryRun,
          onStep: (step) => steps.push(step),
          onLog: (line) => logs.push(line),
          ...(standIn && { standIn }),
        },
      )
      await changes(by, (_tx, audit) => audit('composite.test', name, { dryRun, outcome: outcomeLabel(outcome) }))
      const { content, ...result } = toResult(outcome, {
        requestId: by.requestId,
        calledAs: name,
        durationMs,
        attempts,
      })
      return {
        result: { ...result, content: content.map((block) => ({ ...block })) },
        steps: steps.map((step) => ({ ...step, args: { ...step.args }, text: step.text.slice(0, MOST_TEXT) })),
        logs,
      }
    },
  }
}
