// Where the panels are: docked on a side, floating over the canvas, or filling the studio. Remembered by this browser.
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

export type Side = 'left' | 'right' | 'bottom'
/** A floating panel, in pixels of the studio. */
export type Frame = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }

type Places = {
  /** The docked panel of each side. */
  readonly open: Readonly<Record<Side, string | null>>
  readonly floating: Readonly<Record<string, Frame>>
  /** The panel that fills the studio. */
  readonly full: string | null
  /** Opens the panel, or closes it wherever it is. */
  togglePanel(side: Side, id: string): void
  /** Opens the panel unless it is open. */
  showPanel(side: Side, id: string): void
  float(side: Side, id: string): void
  move(id: string, frame: Frame): void
  dock(side: Side, id: string): void
  fill(id: string | null): void
}

/** The first place of a floating panel; each further one is a step away. */
const FIRST: Frame = { x: 96, y: 72, w: 460, h: 420 }
const STEP = 28

const without = <T>(of: Readonly<Record<string, T>>, id: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(of).filter(([key]) => key !== id))

export const isOpen = ({ open, floating }: Pick<Places, 'open' | 'floating'>, side: Side, id: string): boolean =>
  open[side] === id || Object.hasOwn(floating, id)

export const usePanels = create<Places>()(
  persist(
    (set, get) => ({
      open: { left: null, right: 'properties', bottom: null },
      floating: {},
      full: null,
      togglePanel: (side, id) => {
        const { open, floating, full } = get()
        set(
          isOpen(get(), side, id)
            ? {
                open: open[side] === id ? { ...open, [side]: null } : open,
                floating: without(floating, id),
                full: full === id ? null : full,
              }
            : { open: { ...open, [side]: id } },
        )
      },
      showPanel: (side, id) => {
        if (!isOpen(get(), side, id)) get().togglePanel(side, id)
      },
      float: (side, id) =>
        set(({ open, floating }) => {
          const away = STEP * Object.keys(floating).length
          return {
            open: open[side] === id ? { ...open, [side]: null } : open,
            floating: { ...floating, [id]: { ...FIRST, x: FIRST.x + away, y: FIRST.y + away } },
            full: null,
          }
        }),
      move: (id, frame) => set(({ floating }) => ({ floating: { ...floating, [id]: frame } })),
      dock: (side, id) =>
        set(({ open, floating }) => ({ open: { ...open, [side]: id }, floating: without(floating, id) })),
      fill: (full) => set({ full }),
    }),
    { name: 'gantry-studio-panels', partialize: ({ open, floating }) => ({ open, floating }) },
  ),
)
