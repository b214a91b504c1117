// Commands that share the graph: as a picture, a diagram, text to paste or a program.

import { t } from '../../language/language.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { saveFile } from '../../ui/save-file.ts'
import { nameOf } from '../model/edits.ts'
import { mermaidOf, scriptOf } from '../model/export.ts'
import type { Bench, Standing } from './bench.ts'
import { clipFor, readInTurn } from './edit-commands.ts'
import { type Paint, svgOf } from './picture.ts'

export function saveSvg(bench: Bench): void {
  saveFile(`${nameOf(bench.view.path)}.svg`, 'image/svg+xml', painted((paint) => drawing(bench, paint)).svg)
}

/** The largest canvas that browsers support; a larger graph is scaled down. */
const LONGEST = 8192

export async function savePng(bench: Bench): Promise<void> {
  const { svg, width, height } = painted((paint) => drawing(bench, paint))
  const scale = Math.min(2, LONGEST / Math.max(width, height))
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (!blob) throw new Error(t('The browser could not draw a picture of this size. Save it as SVG.'))
    saveFile(`${nameOf(bench.view.path)}.png`, 'image/png', blob)
  } catch (error) {
    notifyError(error)
  } finally {
    URL.revokeObjectURL(url)
  }
}

export async function copyMermaid({ view }: Bench): Promise<void> {
  await toClipboard(t('Copied as a Mermaid diagram'), mermaidOf(view))
}

export async function saveJson(bench: Bench): Promise<void> {
  const clip = await readInTurn(bench, (at) => wholeClip(bench, at))
  if (clip) saveFile(`${nameOf(bench.view.path)}.json`, 'application/json', JSON.stringify(clip, null, 1))
}

export async function copyScript(bench: Bench): Promise<void> {
  const script = await readInTurn(bench, async (at) =>
    scriptOf(await wholeClip(bench, at), nameOf(at.view.path), at.view),
  )
  if (script !== undefined) await toClipboard(t('Copied as a program for Node'), script)
}

function wholeClip({ editor }: Bench, at: Standing) {
  return clipFor(editor, at, at.view.nodes.keys(), at.layout.comments)
}

async function toClipboard(done: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notifyDone(done)
  } catch (error) {
    notifyError(error)
  }
}

const drawing = (bench: Bench, paint: Paint) => svgOf(bench.nodes, bench.view.edges, bench.layout, paint)

/** Replaces CSS variables by literal colours, because a viewer has neither variables nor theme. */
function painted<T>(draw: (paint: Paint) => T): T {
  const probe = document.createElement('span')
  document.body.append(probe)
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const known = new Map<string, string>()
  const paint: Paint = (colour) => {
    const before = known.get(colour)
    if (before !== undefined) return before
    probe.style.color = colour
    if (!context) return 'gray'
    context.fillStyle = getComputedStyle(probe).color
    context.fillRect(0, 0, 1, 1)
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
    const found = `rgb(${red} ${green} ${blue})`
    known.set(colour, found)
    return found
  }
  try {
    return draw(paint)
  } finally {
    probe.remove()
  }
}
