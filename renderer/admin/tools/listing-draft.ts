// How a tool is listed, as it is typed, and the patch it becomes; problems by field. Pure.
import { OverridesPatch, type ToolDetail, type ToolPatch } from '#contract'
import { argumentsOf, overridesOf } from './tool-arguments.ts'

export const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const
export type Hint = (typeof HINTS)[number]
/** Its own: as the gateway finds it at the source. */
export type HintChoice = 'own' | 'yes' | 'no'

export type ListingDraft = {
  readonly alias: string
  readonly title: string
  readonly description: string
  /** By argument, also of one that the source has dropped: it stays until its text is emptied. */
  readonly params: Readonly<Record<string, string>>
  readonly hints: Readonly<Record<Hint, HintChoice>>
  readonly outputSchema: boolean
}

const choiceOf = (hint: boolean | undefined): HintChoice => (hint === undefined ? 'own' : hint ? 'yes' : 'no')

export function listingOf(
  tool: Pick<ToolDetail, 'overrides' | 'inputSchema' | 'paramLocations' | 'config'>,
): ListingDraft {
  const { displayName, title, description, params, annotations } = overridesOf(tool)
  const names = [...argumentsOf(tool).map(({ name }) => name), ...Object.keys(params ?? {})]
  return {
    alias: displayName ?? '',
    title: title ?? '',
    description: description ?? '',
    params: Object.fromEntries(names.map((name) => [name, params?.[name]?.description ?? ''])),
    // One choice for each hint of the table.
    hints: Object.fromEntries(HINTS.map((hint) => [hint, choiceOf(annotations?.[hint])])) as ListingDraft['hints'],
    outputSchema: tool.config.listOutputSchema === true,
  }
}

const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const orNull = <T extends object>(fields: T): T | null => (Object.keys(fields).length === 0 ? null : fields)

const paramsOf = ({ params }: ListingDraft) =>
  orNull(
    Object.fromEntries(
      Object.entries(params).flatMap(([name, description]) => (description === '' ? [] : [[name, { description }]])),
    ),
  )

const annotationsOf = ({ hints }: ListingDraft) =>
  orNull(Object.fromEntries(HINTS.flatMap((hint) => (hints[hint] === 'own' ? [] : [[hint, hints[hint] === 'yes']]))))

/** Only what changed is sent; arguments and hints go whole, because the gateway replaces them whole. */
export function listingChangeOf(before: ListingDraft, after: ListingDraft) {
  const overrides: OverridesPatch = {
    ...(before.alias === after.alias ? {} : { displayName: after.alias || null }),
    ...(before.title === after.title ? {} : { title: after.title || null }),
    ...(before.description === after.description ? {} : { description: after.description || null }),
    ...(alike(before.params, after.params) ? {} : { params: paramsOf(after) }),
    ...(alike(before.hints, after.hints) ? {} : { annotations: annotationsOf(after) }),
  }
  const patch: ToolPatch = {
    ...(orNull(overrides) ? { overrides } : {}),
    ...(before.outputSchema === after.outputSchema ? {} : { listOutputSchema: after.outputSchema || null }),
  }
  const issues = OverridesPatch.safeParse(overrides).error?.issues ?? []
  /** By the path at which the gateway would tell them. */
  const problems: Readonly<Record<string, string>> = Object.fromEntries(
    issues.map(({ path, message }) => [['overrides', ...path].join('.'), message]),
  )
  return { patch, problems }
}
