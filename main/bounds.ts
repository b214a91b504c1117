// Where the window stood last time, as long as a screen still shows that place.
import { readFileSync, writeFileSync } from 'node:fs'

export type Bounds = { readonly x?: number; readonly y?: number; readonly width: number; readonly height: number }
export type Area = Required<Bounds>

export const MIN_WIDTH = 900
export const MIN_HEIGHT = 600
const FIRST: Bounds = { width: 1280, height: 860 }
/** So much of the title bar must be on a screen that it can be taken hold of. */
const GRIP = 80

const isSize = (value: unknown, least: number): value is number =>
  typeof value === 'number' && value >= least && value <= 20_000

function graspable(x: number, y: number, width: number, screens: readonly Area[]): boolean {
  return screens.some((screen) => {
    const overlap = Math.min(x + width, screen.x + screen.width) - Math.max(x, screen.x)
    return overlap >= GRIP && y >= screen.y && y <= screen.y + screen.height - GRIP
  })
}

export function readBounds(file: string, screens: readonly Area[]): Bounds {
  try {
    // Each field of the file is checked before it is used.
    const { x, y, width, height } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    if (!isSize(width, MIN_WIDTH) || !isSize(height, MIN_HEIGHT)) return FIRST
    const placed = typeof x === 'number' && typeof y === 'number' && graspable(x, y, width, screens)
    return placed ? { x, y, width, height } : { width, height }
  } catch {
    // First run, or a damaged file: use the defaults.
    return FIRST
  }
}

export function writeBounds(file: string, bounds: Bounds): void {
  try {
    writeFileSync(file, JSON.stringify(bounds), { mode: 0o600 })
  } catch {
    // Where the window stood is not worth keeping the application from closing.
  }
}
