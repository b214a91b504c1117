// The door `#pcg-catalog`: the twenty tools, the two toolsets beside them, the node classes. Pure: zod only.
import type { z } from 'zod'
import { authoring } from './authoring.ts'
import { components } from './components.ts'
import { graphs } from './graphs.ts'
import { inspection } from './inspection.ts'
import { nodes } from './nodes.ts'
import { parameters } from './parameters.ts'
import { volume } from './volume.ts'

/** The twenty, in the order of the specification. */
export const CATALOG = { ...graphs, ...nodes, ...parameters, ...components, ...volume } as const
export type ToolName = keyof typeof CATALOG
/** What a tool receives, parsed: defaults are filled in. */
export type Input<K extends ToolName> = z.output<(typeof CATALOG)[K]['input']>
/** What a caller may send. */
export type Args<K extends ToolName> = z.input<(typeof CATALOG)[K]['input']>
export type Output<K extends ToolName> = z.output<(typeof CATALOG)[K]['output']>

/** Beyond the twenty: reads only. */
export const INSPECTION = inspection
export type InspectionName = keyof typeof INSPECTION
export type InspectionArgs<K extends InspectionName> = z.input<(typeof INSPECTION)[K]['input']>
export type InspectionInput<K extends InspectionName> = z.output<(typeof INSPECTION)[K]['input']>
export type InspectionOutput<K extends InspectionName> = z.output<(typeof INSPECTION)[K]['output']>

/** Whole graphs: as text, patched, checked, verified. */
export const AUTHORING = authoring
export type AuthoringName = keyof typeof AUTHORING
export type AuthoringArgs<K extends AuthoringName> = z.input<(typeof AUTHORING)[K]['input']>
export type AuthoringInput<K extends AuthoringName> = z.output<(typeof AUTHORING)[K]['input']>
export type AuthoringOutput<K extends AuthoringName> = z.output<(typeof AUTHORING)[K]['output']>

export { COMMON_PROPERTIES, NODE_TYPES, type NodePin, type NodeProperty, type NodeType } from './node-types.ts'
export { NOT_EXECUTED } from './not-executed.ts'
export { PARAMETER_TYPES } from './parameters.ts'
export { joinable } from './pin-types.ts'
export { STARTERS, type Starter } from './starters.ts'
export { annotationsOf, type Effect, type PcgTool } from './tool.ts'
