// What every driver decides about an edge: which pin is meant, and whether the edge may be made.
import type { NodePin } from '../catalog/node-types.ts'
import { joinable } from '../catalog/pin-types.ts'
import { PcgError } from './pcg-error.ts'

/** `PointsPerSquaredMeter`, `Points Per Squared Meter` and `bUnbounded`, `Unbounded` are one pin in all editors. */
export function spelling(label: string): string {
  return label
    .replace(/^b(?=[A-Z])/, '')
    .replace(/[ _]/g, '')
    .toLowerCase()
}

/** Without a label: `Out` or `In`, else the first pin. `more` finds pins that are not listed. */
export function pinNamed<P extends { readonly label: string }>(
  node: string,
  kind: 'input' | 'output',
  pins: readonly P[],
  wanted: string | undefined,
  more: (label: string) => P | undefined = () => undefined,
): P {
  const usual = kind === 'output' ? 'Out' : 'In'
  const found =
    wanted === undefined
      ? (pins.find((pin) => pin.label === usual) ?? pins[0])
      : (pins.find((pin) => pin.label.toLowerCase() === wanted.toLowerCase()) ??
        pins.find((pin) => spelling(pin.label) === spelling(wanted)) ??
        more(wanted))
  if (found) return found
  throw new PcgError(
    'PIN_NOT_FOUND',
    pins.length === 0
      ? `${node} has no ${kind} pins`
      : `${node} has no ${kind} pin '${(wanted ?? usual).slice(0, 120)}'. It has: ${pins.map((pin) => pin.label).join(', ')}`,
  )
}

type End = { readonly node: string; readonly pin: NodePin }
export function checkEdge(from: End, to: End, closesCycle: boolean, hint: string): void {
  if (closesCycle)
    throw new PcgError('CYCLE', `${to.node} already leads to ${from.node}: this edge would close a cycle`)
  const [given, taken] = [from.pin.types, to.pin.types].map((types) => types.join('|'))
  if (!joinable(from.pin, to.pin))
    throw new PcgError(
      'TYPE_MISMATCH',
      `${from.node}.${from.pin.label} gives ${given}, ${to.node}.${to.pin.label} takes ${taken}${hint}`,
    )
}
