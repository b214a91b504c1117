// In the desktop the tray and the notices lead to a page: main keeps which until it is taken, and only a page of the table is opened.
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { desktopBridge } from '../api/desktop.ts'
import { PAGES } from '../pages.ts'

export function useLedPages(): void {
  const navigate = useNavigate()
  const openWanted = useEffectEvent(() => {
    desktopBridge()
      ?.takePage()
      .then(
        (wanted) => {
          const page = PAGES.find(({ path }) => path === wanted)
          if (page) void navigate({ to: page.path })
        },
        // Without main there is no page to open.
        () => undefined,
      )
  })
  useEffect(() => {
    openWanted()
    return desktopBridge()?.subscribe('page:waiting', () => openWanted())
  }, [])
}
