// Which parameter of the graph a node reads.
import type { ReviewNode } from './graph.ts'

const GETTERS: Readonly<Record<string, string>> = {
  PCGUserParameterGetSettings: 'PropertyName',
  PCGGenericUserParameterGetSettings: 'PropertyPath',
}
export function parameterRead({ class: type, settings }: Pick<ReviewNode, 'class' | 'settings'>): string | undefined {
  const value = settings[GETTERS[type] ?? '']
  return typeof value === 'string' && value !== '' && value !== 'None' ? value.split('.')[0] : undefined
}
