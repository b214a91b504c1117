// The vocabulary the table of node classes is written in: typed pins and property kinds.

/** Data types a pin may carry. `Any`, `Spatial`, `Surface`, `PolyLine`, `Concrete`, `BaseTexture` stand for several. */
export type PinType = string

export type NodePin = {
  readonly label: string
  readonly types: readonly PinType[]
  /** Takes one edge only. */
  readonly single: boolean
  /** The node does not run while nothing arrives here. */
  readonly required: boolean
}

type Num = { readonly default: number; readonly min?: number; readonly max?: number }
export type NodeProperty =
  | { readonly kind: 'bool'; readonly default: boolean }
  | ({ readonly kind: 'int' | 'float' } & Num)
  | { readonly kind: 'text' | 'selector'; readonly default: string }
  | { readonly kind: 'choice'; readonly default: string; readonly values: readonly string[] }
  | { readonly kind: 'vector'; readonly default: readonly number[]; readonly min?: number; readonly max?: number }
  | { readonly kind: 'transform'; readonly default: null }
  | { readonly kind: 'struct'; readonly fields: Readonly<Record<string, NodeProperty>> }
  | { readonly kind: 'list'; readonly of: 'text' | 'number' | 'any'; readonly default: readonly (string | number)[] }
  | { readonly kind: 'map'; readonly default: Readonly<Record<string, string>> }
  /** An instanced object or asset reference: text, or the JSON that the editor stores for it. */
  | { readonly kind: 'object'; readonly default: string | null }

export type NodeType = {
  readonly name: string
  readonly title: string
  readonly category: string
  readonly path: string
  readonly inputs: readonly NodePin[]
  readonly outputs: readonly NodePin[]
  readonly properties: Readonly<Record<string, NodeProperty>>
  readonly deprecated: boolean
  /** Known by name only: pins and settings are not known to this catalogue. */
  readonly nameOnly: boolean
}

/** `Bounding Shape: Spatial|Param 1!` = label, types, one edge only, required. */
function pin(text: string): NodePin {
  const [label = '', rest = 'Any'] = text.split(': ')
  const [types = 'Any'] = rest.replace('!', '').split(' ')
  return { label, types: types.split('|'), single: rest.includes(' 1'), required: rest.endsWith('!') }
}

export const bool = (initial = false): NodeProperty => ({ kind: 'bool', default: initial })
export const int = (initial = 0, min?: number, max?: number): NodeProperty => ({
  kind: 'int',
  default: initial,
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
})
export const float = (initial = 0, min?: number, max?: number): NodeProperty => ({
  kind: 'float',
  default: initial,
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
})
export const text = (initial = ''): NodeProperty => ({ kind: 'text', default: initial })
export const selector = (initial = '@Last'): NodeProperty => ({ kind: 'selector', default: initial })
/** `Default|Other|Third`: the default, then the other values; all of them where the default is not the first in the editor. */
export const choice = (declared: string): NodeProperty => {
  const [initial = '', ...values] = declared.split('|')
  return { kind: 'choice', default: initial, values: values.includes(initial) ? values : [initial, ...values] }
}
export const vector = (initial: readonly number[], min?: number): NodeProperty => ({
  kind: 'vector',
  default: initial,
  ...(min === undefined ? {} : { min }),
})
export const transform = (): NodeProperty => ({ kind: 'transform', default: null })
export const struct = (fields: Readonly<Record<string, NodeProperty>>): NodeProperty => ({ kind: 'struct', fields })
export const list = (of: 'text' | 'number' | 'any', ...initial: readonly (string | number)[]): NodeProperty => ({
  kind: 'list',
  of,
  default: initial,
})
export const map = (initial: Readonly<Record<string, string>> = {}): NodeProperty => ({ kind: 'map', default: initial })
export const object = (initial: string | null = null): NodeProperty => ({ kind: 'object', default: initial })

const ATTRIBUTE_TYPES =
  'Float|Double|Integer32|Integer64|Vector2|Vector|Vector4|Quaternion|Transform|String|Boolean|Rotator|Name|SoftObjectPath|SoftClassPath'
export const attributeType = (initial: string): NodeProperty => choice(`${initial}|${ATTRIBUTE_TYPES}`)

/** A typed constant: `Type` says which of the values counts. */
export const constant = (): NodeProperty =>
  struct({
    Type: attributeType('Double'),
    FloatValue: float(),
    DoubleValue: float(),
    Int32Value: int(),
    IntValue: int(),
    bBoolValue: bool(),
    StringValue: text(),
    NameValue: text('None'),
    Vector2Value: vector([0, 0]),
    VectorValue: vector([0, 0, 0]),
    Vector4Value: vector([0, 0, 0, 0]),
    RotatorValue: vector([0, 0, 0]),
    QuatValue: vector([0, 0, 0, 1]),
    TransformValue: transform(),
    SoftObjectPathValue: text(),
    SoftClassPathValue: text(),
  })

/** `PCGMyNodeSettings` → `MyNode`; the plugin PCGEx keeps its prefix. */
export const bareClass = (name: string): string => name.replace(/^PCG(?!Ex[A-Z])/, '').replace(/Settings$/, '')

/** The title of a class without one of its own: `PCGMyNodeSettings` → `My Node`. */
export const titleOfClass = (name: string): string => bareClass(name).replace(/([a-z0-9])([A-Z])/g, '$1 $2')

/**
 * A node class: `Module.Class: Title`, where the module is PCG and the title follows from the name unless given;
 * its category; `inputs -> outputs`, see `pin`; its properties.
 */
export function node(
  declared: string,
  category: string,
  pins: string,
  properties: Readonly<Record<string, NodeProperty>> = {},
): NodeType {
  const [className = '', title] = declared.split(': ')
  const [name = '', module = 'PCG'] = className.split('.').reverse()
  const [inputs = [], outputs = []] = pins
    .split('->')
    .map((side) => (side.trim() === '' ? [] : side.trim().split(', ').map(pin)))
  return {
    name,
    title: title ?? titleOfClass(name),
    category,
    path: `/Script/${module}.${name}`,
    inputs,
    outputs,
    properties,
    deprecated: false,
    nameOnly: false,
  }
}

export function legacyNode(...declared: Parameters<typeof node>): NodeType {
  return { ...node(...declared), deprecated: true }
}

export function nameOnly(declared: string): NodeType {
  return { ...node(declared, 'Other', 'In: Any -> Out: Any'), nameOnly: true }
}
