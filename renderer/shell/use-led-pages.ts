// Opens the page requested by the tray or a notification; main keeps it until taken, and only known pages open.
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
