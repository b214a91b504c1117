// What the gateway does when a feature of a tool is set: what it is audited as, and which tools it cannot be set on. Contract 8.1.

import { isDeepStrictEqual } from 'node:util'
import {
  FEATURE_NAMES,
  FEATURES,
  type FeatureInput,
  type FeatureName,
  type Features,
} from '../../contract/admin/tool-features.ts'
import type { AuditAction } from '../../contract/audit-action.ts'
import type { ConfigTool } from '../../contract/config-document.ts'
import { type FieldProblem, GatewayError } from '../../contract/error.ts'
import { KINDS } from '../../contract/registration.ts'
import { readDocument } from '../../discovery/graphql-document.ts'
import type { DiscoveredTool } from '../../discovery/tool.ts'
import { isReading } from '../../registry/annotations.ts'
import type { ToolConfig } from '../../storage/stored.ts'
import {
  auditedBudget,
  keptBudget,
  type Place,
  readyBudget,
  shownBudget,
  type World,
  writtenBudget,
} from './context-budget.ts'
import { readySocket, withoutAddresses } from './tool-socket.ts'

/** The tool as it was discovered; its definition is read only where it decides. */
export type Subject = { readonly kind: string; readonly definition: () => DiscoveredTool }
/** The same with what it would be configured as. */
type Configured = Subject & { readonly config: ToolConfig }

type Rule = {
  readonly action: AuditAction
  /** Why it cannot be set on this tool; absent where it applies to all. */
  readonly unfit?: (subject: Configured) => string | undefined
}

type FeatureValue<K extends FeatureName> = NonNullable<Features[K]>
type RuleOf<K extends FeatureName> = Rule & {
  /** What is wrong with it on this tool, beyond what its schema sees. */
  readonly wrong?: (feature: FeatureValue<K>, subject: Subject) => FieldProblem | undefined
  /** What has to be done in the world before it is stored: an address vetted, a secret sealed. */
  readonly ready?: (feature: FeatureInput<K>, place: Place, world: World) => Promise<FeatureValue<K>>
  /** What it takes over of the one before it. */
  readonly kept?: (known: Features[K], wanted: FeatureValue<K>) => FeatureValue<K>
  /** For readers, the audit log and documents, which do not receive the stored value. */
  readonly shown?: (feature: FeatureValue<K>) => object
  readonly audited?: (feature: FeatureValue<K>) => object
  readonly written?: (feature: FeatureValue<K>, place: Place) => object
}

/** One answer instead of another: only where a call changes nothing. */
function reading({ kind, definition, config }: Configured): string | undefined {
  const tool = { name: '', definition: definition(), config }
  const gated = config.sensitive === true || config.approval?.required === true
  const known = KINDS.find((each) => each === kind)
  return known && isReading(known, tool, gated)
    ? undefined
    : 'is for tools that only read: GET and HEAD, GraphQL queries, and tools whose readOnlyHint is true'
}

const RULES: { readonly [K in FeatureName]: RuleOf<K> } = {
  quarantinePolicy: { action: 'tool.quarantine.update' },
  mock: { action: 'tool.mock.update' },
  cache: { action: 'tool.cache.update', unfit: reading },
  coalesce: { action: 'tool.coalesce.update', unfit: reading },
  capture: { action: 'tool.capture.update' },
  transform: { action: 'tool.transform.update' },
  pagination: {
    action: 'tool.pagination.update',
    unfit: ({ kind, definition }) =>
      kind === 'rest' && definition().method === 'GET' ? undefined : 'is for tools of REST backends that GET',
  },
  streaming: {
    action: 'tool.streaming.update',
    unfit: ({ kind }) => (kind === 'rest' ? undefined : 'is for tools of REST backends'),
  },
  contextBudget: {
    action: 'tool.context_budget.update',
    ready: readyBudget,
    kept: keptBudget,
    shown: shownBudget,
    audited: auditedBudget,
    written: writtenBudget,
  },
  graphql: {
    action: 'tool.graphql.update',
    unfit: ({ kind }) => (kind === 'graphql' ? undefined : 'is for tools of a GraphQL API'),
    wrong: ({ query }, { definition }) => {
      const message = wrongDocument(query, definition().graphql?.operation)
      return message === undefined ? undefined : { path: 'graphql.query', message }
    },
  },
  ws: {
    action: 'tool.ws.update',
    unfit: ({ kind }) => (kind === 'rest' ? undefined : 'is for tools of REST backends'),
    ready: readySocket,
    shown: withoutAddresses,
    audited: withoutAddresses,
    written: (ws) => withoutDefaults('ws', withoutAddresses(ws)),
  },
  progress: { action: 'tool.progress.update' },
  price: { action: 'tool.price.update' },
  monitor: {
    action: 'tool.monitor.update',
    // What arguments hold is for those who may read the tool.
    audited: (monitor) => ('args' in monitor ? { ...monitor, args: '[set]' } : monitor),
  },
  routing: {
    action: 'tool.routing.update',
    unfit: ({ kind }) =>
      kind === 'rest' ? undefined : 'is for tools of REST backends, which alone have other servers',
  },
}

/** It is retried, gated and listed as what the tool was discovered as, so it has to be that. */
function wrongDocument(query: string, operation: string | undefined): string | undefined {
  const read = readDocument(query)
  if ('problem' in read) return read.problem
  return read.operation === operation ? undefined : `must be a ${operation}, as the tool is one`
}

export const isFeature = (key: string): key is FeatureName => Object.hasOwn(FEATURES, key)

export const FEATURE_ACTIONS = FEATURE_NAMES.map((name) => [name, RULES[name].action] as const)

/** Why those features cannot be set that cannot. */
export function unfitFor(subject: Configured): Readonly<Record<string, string>> {
  return Object.fromEntries(
    FEATURE_NAMES.flatMap((name) => {
      const reason = RULES[name].unfit?.(subject)
      return reason === undefined ? [] : [[name, reason]]
    }),
  )
}

/** As it is to be stored, once it was made ready. */
export type FeatureChanges = { readonly [K in FeatureName]?: Features[K] | null | undefined }

/** Removing a feature fits every tool. */
export function requireFit(wanted: FeatureChanges, subject: Configured): void {
  for (const name of FEATURE_NAMES) {
    const reason = wanted[name] ? RULES[name].unfit?.(subject) : undefined
    if (reason !== undefined)
      throw new GatewayError('NOT_APPLICABLE', `${name} ${reason}`, { fields: [{ path: name, message: reason }] })
    const problem = wrongIn(name, wanted, subject)
    if (problem) throw new GatewayError('VALIDATION_ERROR', `${problem.path} ${problem.message}`, { fields: [problem] })
  }
}

function wrongIn<K extends FeatureName>(name: K, wanted: FeatureChanges, subject: Subject): FieldProblem | undefined {
  const feature: FeatureChanges[K] = wanted[name]
  return feature ? RULES[name].wrong?.(feature, subject) : undefined
}

/** What was given, as it can be stored. Done before a transaction, for it may take its time. */
export async function readyFeatures(
  given: { readonly [K in FeatureName]?: FeatureInput<K> | null | undefined },
  place: Place,
  world: World,
): Promise<FeatureChanges> {
  const ready = async <K extends FeatureName>(name: K): Promise<readonly [K, unknown]> => {
    const feature = given[name]
    const { ready: make } = RULES[name]
    return [name, feature && make ? await make(feature, place, world) : feature]
  }
  const entries: (readonly [FeatureName, unknown])[] = []
  for (const name of FEATURE_NAMES) if (given[name] !== undefined) entries.push(await ready(name))
  return Object.fromEntries(entries) as FeatureChanges // each under its own name
}

/** Each is a way to read the answer; a call has one. */
const EXCLUSIVE = ['pagination', 'streaming', 'ws'] as const

/** Each is replaced as a whole; what is not spoken of stays. */
export function mergeFeatures(known: Features, wanted: FeatureChanges): Features {
  const merged: Features = Object.fromEntries(
    FEATURE_NAMES.flatMap((name) => {
      const next = mergedOne(name, known, wanted)
      return next ? [[name, next]] : []
    }),
  )
  const [path, other] = EXCLUSIVE.filter((name) => merged[name]).sort((a, b) => Number(!wanted[a]) - Number(!wanted[b]))
  if (path !== undefined && other !== undefined) {
    const message = `cannot stand beside ${other}; remove that one first`
    throw new GatewayError('VALIDATION_ERROR', `${path} ${message}`, { fields: [{ path, message }] })
  }
  return merged
}

function mergedOne<K extends FeatureName>(name: K, known: Features, wanted: FeatureChanges): Features[K] | null {
  const before: Features[K] = known[name]
  const next: FeatureChanges[K] = wanted[name]
  if (next === undefined) return before
  const { kept } = RULES[name]
  return next && kept ? kept(before, next) : next
}

/** As a reader sees it. */
export const shownFeatures = (features: Features): Record<string, unknown> =>
  Object.fromEntries(FEATURE_NAMES.map((name) => [name, report(name, features, 'shown') ?? null]))

/** As the audit log has it. */
export const auditedFeature = <K extends FeatureName>(name: K, features: Features): unknown =>
  report(name, features, 'audited')

function report<K extends FeatureName>(name: K, features: Features, how: 'shown' | 'audited'): unknown {
  const feature: Features[K] = features[name]
  const { [how]: tell } = RULES[name]
  return feature && tell ? tell(feature) : feature
}

/** As a document has it: defaults are left out. */
export function writtenFeatures(features: Features, place: Place): Pick<ConfigTool, FeatureName> {
  return Object.fromEntries(
    FEATURE_NAMES.flatMap((name) => {
      const feature = writtenOne(name, features, place)
      return feature ? [[name, feature]] : []
    }),
  ) as Pick<ConfigTool, FeatureName> // each under its own name, absent where it is the default
}

function writtenOne<K extends FeatureName>(name: K, features: Features, place: Place): object | undefined {
  const feature: Features[K] = features[name]
  const { written } = RULES[name]
  return feature && (written ? written(feature, place) : withoutDefaults(name, feature))
}

function withoutDefaults(name: FeatureName, feature: object): object {
  const text = Object.entries(feature).filter(([key]) => {
    const rest = Object.fromEntries(Object.entries(feature).filter(([other]) => other !== key))
    const meant = FEATURES[name].safeParse(rest)
    return !meant.success || !isDeepStrictEqual(meant.data, feature)
  })
  return Object.fromEntries(text)
}
