// The whole graph as a standalone SVG with literal colours.

import type { Arrangement } from '../model/arrangement.ts'
import type { EdgeView } from '../model/graph.ts'
import { type CanvasNode, type GraphNode, pinMiddle } from './flow.ts'
import { colourOf, hueOf, hueOfCategory } from './pin-look.ts'
import { curve, pathsOf } from './wires.ts'

/** Resolves a CSS variable to a literal colour. */
export type Paint = (colour: string) => string

const MARGIN = 40
/** XML cannot represent control characters and lone surrogates. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)

export function svgOf(
  nodes: readonly CanvasNode[],
  edges: readonly EdgeView[],
  layout: Arrangement,
  paint: Paint,
): { readonly svg: string; readonly width: number; readonly height: number } {
  const left = Math.min(...nodes.map(({ position }) => position.x)) - MARGIN
  const top = Math.min(...nodes.map(({ position }) => position.y)) - MARGIN
  const width = Math.ceil(Math.max(...nodes.map(({ position, width = 0 }) => position.x + width)) + MARGIN - left)
  const height = Math.ceil(Math.max(...nodes.map(({ position, height = 0 }) => position.y + height)) + MARGIN - top)
  const frame = `x="${left}" y="${top}" width="${width}" height="${height}"`
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif">`,
    `<rect ${frame} fill="${paint('var(--g-canvas)')}"/>`,
    ...layout.comments.map(({ x, y, w, h, text, color }) => {
      const hue = hueOf(color)
      const fill = paint(hue === undefined ? 'var(--g-line-strong)' : `var(--g-hue-${hue})`)
      return `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="8" fill="${fill}" fill-opacity="0.3" stroke="${fill}"/>${words(x + 12, y + 21, text, paint('var(--g-ink)'), 14)}`
    }),
    ...pathsOf(edges, nodes, layout.reroutes).map(({ edge, points }) => {
      const source = nodes.find((node): node is GraphNode => node.type === 'graph' && node.id === edge.from)
      const types = source?.data.outputs.find(({ label }) => label === edge.fromPin)?.types ?? []
      return `<path d="${curve(points)}" fill="none" stroke-width="2" stroke="${paint(colourOf(types))}"/>`
    }),
    ...nodes.flatMap((node) => (node.type === 'graph' ? [drawn(node, paint)] : [])),
    '</svg>',
  ].join('\n')
  return { svg, width, height }
}

function words(x: number, y: number, text: string, fill: string, size: number, anchor = 'start'): string {
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}">${escaped(text)}</text>`
}

function drawn({ position: { x, y }, width = 0, height = 0, data }: GraphNode, paint: Paint): string {
  const { node, inputs, outputs, place, density } = data
  const hue = hueOf(place.color) ?? hueOfCategory(node.category)
  const [ink, line] = [paint('var(--g-ink)'), paint('var(--g-line-strong)')]
  const pins = (side: 'in' | 'out') =>
    (side === 'in' ? inputs : outputs).map(({ label, types }, index) => {
      const at = { x: side === 'in' ? x : x + width, y: y + pinMiddle(density, index) }
      const dot = `<circle cx="${at.x}" cy="${at.y}" r="5" fill="${paint(colourOf(types))}"/>`
      const away = side === 'in' ? 12 : -12
      return `${dot}${words(at.x + away, at.y + 4, label, ink, 11, side === 'in' ? 'start' : 'end')}`
    })
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${paint('var(--g-surface)')}" stroke="${line}"/>`,
    `<path d="M${x},${y + density.head} v${6 - density.head} q0,-6 6,-6 h${width - 12} q6,0 6,6 v${density.head - 6} z" fill="${paint(hue === undefined ? 'var(--g-sunken)' : `var(--g-hue-${hue})`)}"/>`,
    words(x + 10, y + density.head / 2 + 4, node.title, ink, 12),
    ...pins('in'),
    ...pins('out'),
  ].join('')
}
