// Attributes: add, copy, rename, delete, cast, noise, remap, hash; one attribute at a time.
import {
  type Execute,
  flag,
  matches,
  type NodeContext,
  type NodeTable,
  names,
  num,
  out,
  params,
  perTable,
  str,
} from '../context.ts'
import { tableOf, withTable } from '../data.ts'
import { type Column, pickColumn, type Table, withAttribute } from '../points.ts'
import { fractionOf, next, seed2, seedFromText } from '../random.ts'
import { numbers, parseSelector, readSelector, textAt, texts, writeSelector } from '../selector.ts'
import { constantOf, storedAs, WIDTH } from './constants.ts'
import { remap } from './density.ts'

/** Reads the input selector, or warns that it matches nothing. */
export function read(table: Table, context: NodeContext, name = 'InputSource'): Column | undefined {
  const selector = str(context, name)
  const column = readSelector(table, selector)
  if (!column) context.warn(`'${selector}' matches no attribute of the data`)
  return column
}

export function write(table: Table, context: NodeContext, column: Column, input = 'InputSource'): Table {
  const target = str(context, 'OutputTarget')
  const written = writeSelector(table, target === '' ? '@Source' : target, column, str(context, input))
  if (!written) context.warn(`'${target}' names no place to write to`)
  return written ?? table
}

/** Values of a shorter column repeat: N:N or 1:N. */
export function spread(column: Column, from: number, to: number): Column {
  if (column.step === 0 || from === to) return column
  return pickColumn(
    column,
    Int32Array.from({ length: to }, (_, row) => (from === 0 ? 0 : row % from)),
  )
}

export const createConstant: Execute = (context) => {
  const target = str(context, 'OutputTarget')
  const name = target === '' || target.startsWith('@') ? 'Value' : target
  return [
    params({ count: 1, attributes: new Map([[name, constantOf(context.settings['AttributeTypes'])]]), last: name }),
  ]
}

/** From the attribute set on `Attributes` when one is wired, else the constant. */
export const addAttribute = perTable((table, context) => {
  const source = context.input('Attributes').map((item) => tableOf(item.data))[0]
  if (!source) {
    if (context.wired('Attributes')) return table
    const target = str(context, 'OutputTarget')
    const name = target === '' || target.startsWith('@') ? 'NewAttribute' : target
    return writeSelector(table, name, constantOf(context.settings['AttributeTypes'])) ?? table
  }
  return copyFrom(table, source, context)
})

export function copyFrom(table: Table, source: Table, context: NodeContext): Table {
  if (flag(context, 'bCopyAllAttributes'))
    return [...source.attributes].reduce(
      (result, [name, column]) => withAttribute(result, name, spread(column, source.count, table.count)),
      table,
    )
  const column = read(source, context)
  const selector = parseSelector(str(context, 'InputSource'), source)
  if (!column || !selector) return table
  const target = str(context, 'OutputTarget')
  const place =
    target === '' || target.startsWith('@') ? (selector.property ? `$${selector.name}` : selector.name) : target
  return writeSelector(table, place, spread(column, source.count, table.count)) ?? table
}

const copyAttributes: Execute = (context) => {
  const sources = context.input('Source').flatMap((item) => tableOf(item.data) ?? [])
  const targets = context.input('Target')
  if (!context.wired('Source'))
    return targets.map((item) => {
      const table = tableOf(item.data)
      return out(table ? withTable(item.data, copyFrom(table, table, context)) : item.data, item.tags)
    })
  const how = str(context, 'Operation')
  return targets.flatMap((item, i) => {
    const table = tableOf(item.data)
    if (!table) return [out(item.data, item.tags)]
    if (how === 'CopyEachSourceOnEveryTarget')
      return sources.map((source) => out(withTable(item.data, copyFrom(table, source, context)), item.tags))
    const chosen =
      how === 'MergeSourcesAndCopyToAllTargets' ? sources : sources.slice(sources.length === 1 ? 0 : i).slice(0, 1)
    return [
      out(
        withTable(
          item.data,
          chosen.reduce((result, source) => copyFrom(result, source, context), table),
        ),
        item.tags,
      ),
    ]
  })
}

const rename = perTable((table, context) => {
  const [from, to] = [str(context, 'AttributeToRename'), str(context, 'NewAttributeName')]
  const name = from === '' || from === 'None' ? table.last : from
  const column = name === null ? undefined : table.attributes.get(name)
  if (name === null || !column || to === '' || to === 'None') {
    context.warn(`There is no attribute '${from}' to rename`)
    return table
  }
  const attributes = new Map([...table.attributes].map(([key, value]) => (key === name ? [to, value] : [key, value])))
  return { ...table, attributes, last: table.last === name ? to : table.last }
})

const deleteAttributes = perTable((table, context) => {
  const chosen = names(str(context, 'SelectedAttributes'), flag(context, 'bTokenizeOnWhiteSpace'))
  const keep = str(context, 'Operation') === 'KeepSelectedAttributes'
  const attributes = new Map(
    [...table.attributes].filter(
      ([name]) => chosen.some((item) => matches(str(context, 'Operator'), name, item)) === keep,
    ),
  )
  return {
    ...table,
    attributes,
    last: table.last !== null && attributes.has(table.last) ? table.last : ([...attributes.keys()].at(-1) ?? null),
  }
})

export function cast(column: Column, count: number, type: string): Column {
  const width = WIDTH[type]
  const rows = column.step === 0 ? 1 : count
  if (width === undefined) return { type, width: 0, texts: texts(column, rows), step: column.step === 0 ? 0 : 1 }
  const data = numbers(column.texts && type === 'Boolean' ? truths(column, rows) : column, rows, width)
  for (let i = 0; i < data.length; i++) data[i] = storedAs(type, data[i] ?? 0)
  return { type, width, data, step: column.step === 0 ? 0 : width }
}

function truths(column: Column, rows: number): Column {
  const data = Float64Array.from({ length: rows }, (_, row) =>
    Number(['true', '1'].includes(textAt(column, row).toLowerCase())),
  )
  return { type: 'Boolean', width: 1, data, step: column.step === 0 ? 0 : 1 }
}

const castNode = (setting: string): Execute =>
  perTable((table, context) => {
    const column = read(table, context)
    return column ? write(table, context, cast(column, table.count, str(context, setting))) : table
  })

/** `1,2,3` and `X=1 Y=2 Z=3` read as vectors. */
const parseString = perTable((table, context) => {
  const column = read(table, context)
  if (!column) return table
  const type = str(context, 'TargetType')
  const width = WIDTH[type] ?? 0
  if (width < 2) return write(table, context, cast(column, table.count, type))
  const data = new Float64Array(table.count * width)
  for (let row = 0; row < table.count; row++) {
    const found = textAt(column, row).match(/[-+]?\d+(\.\d+)?(e[-+]?\d+)?/gi) ?? []
    for (let c = 0; c < width; c++) data[row * width + c] = Number(found[c] ?? 0)
  }
  return write(table, context, { type, width, data, step: width })
})

/** The seed a row draws from: its own, a chosen column, or its place in the list. */
export function rowSeeds(table: Table, context: NodeContext): Int32Array {
  const chosen = flag(context, 'bHasCustomSeedSource')
    ? readSelector(table, str(context, 'CustomSeedSource'))
    : readSelector(table, '$Seed')
  if (!chosen) return Int32Array.from({ length: table.count }, (_, row) => row + 1)
  return chosen.texts
    ? Int32Array.from({ length: table.count }, (_, row) => seedFromText(textAt(chosen, row)))
    : Int32Array.from(numbers(chosen, table.count, 1))
}

const attributeNoise = perTable((table, context) => {
  const column = read(table, context)
  if (!column || column.texts) return table
  const seeds = rowSeeds(table, context)
  const [low, high, mode] = [num(context, 'NoiseMin'), num(context, 'NoiseMax'), str(context, 'Mode')]
  const selector = parseSelector(str(context, 'InputSource'), table)
  const clamps = flag(context, 'bClampResult') || (selector?.property === true && selector.name === 'density')
  const invert = flag(context, 'bInvertSource')
  const { width } = column
  const data = numbers(column, table.count, width)
  for (let row = 0; row < table.count; row++) {
    let state = seed2(context.seed, seeds[row] ?? 0)
    for (let c = 0; c < width; c++) {
      state = next(state)
      const noise = low + (high - low) * fractionOf(state)
      let source = data[row * width + c] ?? 0
      if (invert) source = 1 - source
      let value = noise
      if (mode === 'Minimum') value = Math.min(source, noise)
      else if (mode === 'Maximum') value = Math.max(source, noise)
      else if (mode === 'Add') value = source + noise
      else if (mode === 'Multiply') value = source * noise
      data[row * width + c] = clamps ? Math.min(1, Math.max(0, value)) : value
    }
  }
  return write(table, context, { type: column.type, width, data, step: width })
})

const attributeRemap = perTable((table, context) => {
  const column = read(table, context)
  if (!column || column.texts) return table
  let [a, b, c, d] = [
    num(context, 'InRangeMin'),
    num(context, 'InRangeMax'),
    num(context, 'OutRangeMin'),
    num(context, 'OutRangeMax'),
  ]
  if (!flag(context, 'bAllowInverseRange'))
    [a, b, c, d] = [Math.min(a, b), Math.max(a, b), Math.min(c, d), Math.max(c, d)]
  const [skip, unit] = [flag(context, 'bIgnoreValuesOutsideInputRange'), flag(context, 'bClampToUnitRange')]
  const data = numbers(column, table.count, column.width).map((value) => {
    if (skip && (value < Math.min(a, b) || value > Math.max(a, b))) return value
    const mapped = remap(value, a, b, c, d)
    return unit ? Math.min(1, Math.max(0, mapped)) : mapped
  })
  return write(table, context, {
    type: column.type === 'Integer32' ? 'Double' : column.type,
    width: column.width,
    data,
    step: column.width,
  })
})

const hashAttribute = perTable((table, context) => {
  const column = read(table, context, 'InputSource1')
  if (!column) return table
  const data = Float64Array.from({ length: table.count }, (_, row) => seedFromText(textAt(column, row)))
  return withAttribute(table, 'Hash', { type: 'Integer32', width: 1, data, step: 1 })
})

const generateSeed = perTable((table, context) => {
  const source = str(context, 'GenerationSource')
  const chosen = source === 'RandomStream' ? undefined : readSelector(table, str(context, 'SeedSource'))
  const start = source === 'HashString' ? seedFromText(str(context, 'SourceString')) : context.seed
  const data = Float64Array.from({ length: table.count }, (_, row) =>
    next(seed2(start, chosen ? seedFromText(textAt(chosen, row)) : row + 1)),
  )
  const target = str(context, 'OutputTarget')
  const place = target === '' || target === '@Source' ? ('position' in table ? '$Seed' : 'Seed') : target
  return writeSelector(table, place, { type: 'Integer32', width: 1, data, step: 1 }) ?? table
})

export const attributes: NodeTable = {
  PCGCreateAttributeSetSettings: createConstant,
  PCGAddAttributeSettings: addAttribute,
  PCGCopyAttributesSettings: copyAttributes,
  PCGAttributeTransferSettings: copyAttributes,
  PCGMetadataRenameSettings: rename,
  PCGDeleteAttributesSettings: deleteAttributes,
  PCGAttributeCastSettings: castNode('OutputType'),
  PCGParseStringSettings: parseString,
  PCGAttributeNoiseSettings: attributeNoise,
  PCGAttributeRemapSettings: attributeRemap,
  PCGHashAttributeSettings: hashAttribute,
  PCGGenerateSeedSettings: generateSeed,
}
