// What is open over every page: the palette, or the sheet of keys.
import { create } from 'zustand'

export const useOverlay = create<{ readonly open: 'palette' | 'keys' | null }>(() => ({ open: null }))
