// The arguments of a tool: from its source and as listed. Pure.
import { OverridesPatch, type ToolDetail } from '#contract'
import { isRecord } from '../../ui/form/shape.ts'

export type Argument = {
  readonly name: string
  readonly type: string
  readonly place: string | undefined
  readonly required: boolean
  /** The source's description. */
  readonly description: string
}

type Described = Pick<ToolDetail, 'inputSchema' | 'overrides'>

export const overridesOf = ({ overrides }: Pick<ToolDetail, 'overrides'>): OverridesPatch =>
  OverridesPatch.catch({}).parse(overrides ?? {})

const propertiesOf = ({ inputSchema }: Pick<ToolDetail, 'inputSchema'>): readonly (readonly [string, unknown])[] =>
  isRecord(inputSchema.properties) ? Object.entries(inputSchema.properties) : []

export function argumentsOf(tool: Pick<ToolDetail, 'inputSchema' | 'paramLocations'>): readonly Argument[] {
  const required = Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required : []
  return propertiesOf(tool).map(([name, property]) => {
    const { type, description } = isRecord(property) ? property : {}
    const place = tool.paramLocations[name]
    return {
      name,
      type: [type].flat().filter(Boolean).join(' | ') || 'any',
      place: typeof place === 'string' ? place : undefined,
      required: required.includes(name),
      description: typeof description === 'string' ? description : '',
    }
  })
}

/** With overridden descriptions. */
export function asTold<T extends Described>(tool: T): T {
  const { params } = overridesOf(tool)
  if (!params) return tool
  const properties = propertiesOf(tool).map(([name, property]) => {
    const description = Object.hasOwn(params, name) ? params[name]?.description : undefined
    return [name, description !== undefined && isRecord(property) ? { ...property, description } : property]
  })
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: Object.fromEntries(properties) } }
}
