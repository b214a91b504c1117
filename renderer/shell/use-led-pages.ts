// In the desktop the tray and the notices lead to a page: main names it, and only a page of the table is opened.
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { desktopBridge } from '../api/desktop.ts'
import { PAGES } from '../pages.ts'

export function useLedPages(): void {
  const navigate = useNavigate()
  const open = useEffectEvent((wanted: unknown) => {
    const page = PAGES.find(({ path }) => path === wanted)
    if (page) void navigate({ to: page.path })
  })
  useEffect(() => desktopBridge()?.subscribe('page:open', (data) => open(data)), [])
}
