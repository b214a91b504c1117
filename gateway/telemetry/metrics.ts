// The gateway's metrics: in memory, limited in number, exposed in the Prometheus text format 0.0.4.
import { type LabelsOf, METRICS, type MetricName, type MetricOf, type MetricRow } from './metric-table.ts'

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type LabelArgument<K extends MetricName> = keyof LabelsOf<K> extends never
  ? [labels?: undefined]
  : [labels: LabelsOf<K>]
type Reading = { readonly value: number; readonly count: number }

export type Metrics = {
  readonly inc: <K extends MetricOf<'counter'>>(name: K, ...labels: LabelArgument<K>) => void
  readonly add: <K extends MetricOf<'counter'>>(name: K, by: number, ...labels: LabelArgument<K>) => void
  readonly set: <K extends MetricOf<'gauge'>>(name: K, value: number, ...labels: LabelArgument<K>) => void
  readonly observe: <K extends MetricOf<'histogram'>>(name: K, seconds: number, ...labels: LabelArgument<K>) => void
  /** The same for the hot path: resolves labels once, when the counter is created. */
  readonly counter: <K extends MetricOf<'counter'>>(name: K, ...labels: LabelArgument<K>) => () => void
  readonly histogram: <K extends MetricOf<'histogram'>>(
    name: K,
    ...labels: LabelArgument<K>
  ) => (seconds: number) => void
  /** Replaces all series of a gauge, so that removed ones disappear. */
  readonly replace: <K extends MetricOf<'gauge'>>(name: K, rows: readonly (readonly [LabelsOf<K>, number])[]) => void
  /** Called before each exposition, for gauges read on demand. */
  readonly beforeRender: (collect: () => void) => void
  /** The value of a counter or gauge; sum and count of a histogram. Zero if nothing was observed. */
  readonly read: <K extends MetricName>(name: K, ...labels: LabelArgument<K>) => Reading
  /** With `mine`: only series of these backends, and no totals over others. */
  readonly render: (mine?: (client: string) => boolean) => string
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const
/** The limit of distinct values of an open label per process; later ones become `other`. */
const MAX_VALUES = 500
/** The limit of series per metric. */
const MAX_SERIES = 10_000
const OTHER = 'other'

/** `buckets` counts each observation once, in its first matching bucket; the last is +Inf. */
type Series = {
  readonly labels: string
  readonly client: string | undefined
  value: number
  count: number
  readonly buckets: number[] | null
}
type GivenLabels = Readonly<Record<string, string>>

type Metric = {
  readonly name: string
  readonly row: MetricRow
  readonly labelNames: readonly string[]
  readonly series: Map<string, Series>
}

const escapeLabel = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

function number(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

const withLabels = (labels: string) => (labels === '' ? '' : `{${labels}}`)

/** Every combination of the fixed values, or none if a label is open. */
function combinations(row: MetricRow): readonly GivenLabels[] {
  let all: GivenLabels[] = [{}]
  for (const [name, values] of Object.entries(row.labels)) {
    if (values === 'open') return []
    all = all.flatMap((labels) => values.map((value) => ({ ...labels, [name]: value })))
  }
  return all
}

/** The known values of each open label, shared by all metrics, so that `client` has the same 500 everywhere. */
function createBounds() {
  const seen = new Map<string, Set<string>>()
  return (label: string, value: string): string => {
    let values = seen.get(label)
    if (values === undefined) {
      values = new Set()
      seen.set(label, values)
    }
    if (values.has(value)) return value
    if (values.size >= MAX_VALUES) return OTHER
    values.add(value)
    return value
  }
}

function keyOf(metric: Metric, given: GivenLabels): string {
  const { labelNames } = metric
  const [first] = labelNames
  if (first === undefined) return ''
  if (labelNames.length === 1) return given[first] ?? ''
  let key = ''
  for (const name of labelNames) key += `${given[name] ?? ''}\u0000`
  return key
}

function observe(series: Series, seconds: number): void {
  if (!Number.isFinite(seconds)) return
  series.value += seconds
  series.count += 1
  if (series.buckets === null) return
  let index = 0
  while (index < BUCKETS.length && seconds > (BUCKETS[index] ?? 0)) index += 1
  if (index < BUCKETS.length) series.buckets[index] = (series.buckets[index] ?? 0) + 1
}

function renderSeries({ name, row }: Metric, series: Series): string {
  if (row.type !== 'histogram') return `${name}${withLabels(series.labels)} ${number(series.value)}\n`
  const before = series.labels === '' ? '' : `${series.labels},`
  let lines = ''
  let below = 0
  for (const [index, bound] of BUCKETS.entries()) {
    below += series.buckets?.[index] ?? 0
    lines += `${name}_bucket{${before}le="${bound}"} ${below}\n`
  }
  lines += `${name}_bucket{${before}le="+Inf"} ${series.count}\n`
  lines += `${name}_sum${withLabels(series.labels)} ${number(series.value)}\n`
  return `${lines}${name}_count${withLabels(series.labels)} ${series.count}\n`
}

function renderMetric(metric: Metric, mine?: (client: string) => boolean): string {
  const { name, row, series } = metric
  const shown = [...series.values()].filter(
    ({ client }) => mine === undefined || (client !== undefined && mine(client)),
  )
  if (mine !== undefined && shown.length === 0) return ''
  const lines = shown.map((one) => renderSeries(metric, one))
  return `# HELP ${name} ${escapeHelp(row.help)}\n# TYPE ${name} ${row.type}\n${lines.join('')}`
}

/** Series with fixed labels start at zero, so that a rate has no gap at the first event. */
export function createMetrics(): Metrics {
  const bounded = createBounds()
  const collectors: (() => void)[] = []
  const metrics = new Map<string, Metric>()

  function create(metric: Metric, given: GivenLabels): Series {
    const crowded = metric.series.size >= MAX_SERIES
    const values = metric.labelNames.map((label) => {
      const value = given[label] ?? ''
      if (metric.row.labels[label] !== 'open') return [label, value] as const
      return [label, crowded ? OTHER : bounded(label, value)] as const
    })
    const key = keyOf(metric, Object.fromEntries(values))
    const known = metric.series.get(key)
    if (known !== undefined) return known
    const labels = values.map(([label, value]) => `${label}="${escapeLabel(value)}"`).join(',')
    const buckets = metric.row.type === 'histogram' ? BUCKETS.map(() => 0) : null
    const client = values.find(([label]) => label === 'client')?.[1]
    const series: Series = { labels, client, value: 0, count: 0, buckets }
    metric.series.set(key, series)
    return series
  }

  function metricOf(name: string): Metric {
    const metric = metrics.get(name)
    if (metric === undefined) throw new Error(`${name} is no metric`)
    return metric
  }

  // LabelsOf<K>, the type of every method, contains only text.
  const textsOf = (labels: object = {}): GivenLabels => labels as GivenLabels

  function find(name: string, labels?: object): Series {
    const metric = metricOf(name)
    const given = textsOf(labels)
    return metric.series.get(keyOf(metric, given)) ?? create(metric, given)
  }

  for (const [name, row] of Object.entries<MetricRow>(METRICS)) {
    const metric: Metric = { name, row, labelNames: Object.keys(row.labels), series: new Map() }
    metrics.set(name, metric)
    for (const labels of combinations(row)) create(metric, labels)
  }

  return {
    inc: (name, ...[labels]) => {
      find(name, labels).value += 1
    },
    add: (name, by, ...[labels]) => {
      if (by > 0) find(name, labels).value += by
    },
    set: (name, value, ...[labels]) => {
      find(name, labels).value = value
    },
    observe: (name, seconds, ...[labels]) => observe(find(name, labels), seconds),
    counter: (name, ...[labels]) => {
      const series = find(name, labels)
      return () => {
        series.value += 1
      }
    },
    histogram: (name, ...[labels]) => {
      const series = find(name, labels)
      return (seconds) => observe(series, seconds)
    },
    replace: (name, rows) => {
      metricOf(name).series.clear()
      for (const [labels, value] of rows) find(name, labels).value = value
    },
    beforeRender: (collect) => {
      collectors.push(collect)
    },
    read: (name, ...[labels]) => {
      const metric = metricOf(name)
      // Reads without creating: a query for an unknown series must not use up the limit.
      const series = metric.series.get(keyOf(metric, textsOf(labels)))
      return { value: series?.value ?? 0, count: series?.count ?? 0 }
    },
    render: (mine) => {
      for (const collect of collectors) collect()
      return [...metrics.values()].map((metric) => renderMetric(metric, mine)).join('')
    },
  }
}
