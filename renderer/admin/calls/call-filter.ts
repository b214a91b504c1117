// The filters of the calls page: what the URL says, and what the gateway is asked. Pure.
import type { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import type { UrlParams } from '../../url-params.ts'
import { RANGES } from '../overview/range.ts'
import { outcomeIn } from './outcomes.ts'

/** Filters by one exact value; `key` is the URL parameter, `query` the one of the API. */
export const FIELDS = [
  { key: 'client', query: 'client', title: t('Backend') },
  { key: 'tool', query: 'tool', title: t('Tool') },
  { key: 'gate', query: 'gate', title: t('Gate') },
  { key: 'code', query: 'code', title: t('Code') },
  { key: 'caller', query: 'caller', title: t('Caller') },
  { key: 'key', query: 'keyId', title: t('Key id') },
  { key: 'consumer', query: 'consumerId', title: t('Consumer id') },
  { key: 'program', query: 'program', title: t('Client program') },
  { key: 'bundle', query: 'bundle', title: t('Bundle') },
  { key: 'session', query: 'sessionId', title: t('Session') },
] as const
export type FieldKey = (typeof FIELDS)[number]['key']

/** What the gateway is asked. */
export type Asked = NonNullable<NonNullable<Parameters<typeof api.usage.calls>[0]>['query']>

export const KINDS = [
  { value: 'all', label: t('All requests') },
  { value: 'tool', label: t('Tool calls') },
  { value: 'relayed', label: t('Other MCP requests') },
  { value: 'door', label: t('Refused at the door') },
] as const

export const PARAMS = ['q', 'outcome', 'kind', 'range', 'from', 'to', ...FIELDS.map(({ key }) => key)] as const

/** `lastMs`: only so recent ones, counted from when they are read. */
export type CallFilter = { readonly query: Asked; readonly lastMs: number | undefined }

export const queryOf = ({ query, lastMs }: CallFilter, nowMs: number): Asked =>
  lastMs === undefined ? query : { ...query, from: String(nowMs - lastMs) }

/** Of the URL; what is not valid is no filter. */
export function filterOf(params: UrlParams): CallFilter {
  const { q, outcome, kind, range, from, to } = params
  const wanted = outcomeIn(outcome)
  const length = RANGES.find(({ value }) => value === range)?.lengthMs
  const fields = FIELDS.flatMap(({ key, query }) => {
    const value = params[key]
    const valid = value && (!query.endsWith('Id') || query === 'sessionId' || /^[1-9]\d{0,14}$/.test(value))
    return valid ? [[query, value] as const] : []
  })
  const query = {
    kind: KINDS.find(({ value }) => value === kind)?.value ?? 'all',
    ...(q && { text: q }),
    ...(wanted !== 'any' && { outcome: wanted }),
    ...(isMoment(from) && { from }),
    ...(isMoment(to) && { to }),
    ...Object.fromEntries(fields),
  }
  return { query, lastMs: isMoment(from) ? undefined : length }
}

const isMoment = (text: string | undefined): boolean => text !== undefined && /^\d{1,15}$/.test(text)

export const isFiltered = (params: UrlParams): boolean => PARAMS.some((key) => Boolean(params[key]))
