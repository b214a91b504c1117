// A page that is loaded when it is shown. While the gateway is away, it shows the outage and loads by itself afterwards.
import { CloudOff } from 'lucide-react'
import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react'
import { t } from '../language/language.ts'
import { EmptyState } from '../ui/EmptyState.tsx'
import { PageSkeleton } from '../ui/Skeleton.tsx'

type Loaded = { readonly Page: ComponentType }
const RETRY_MS = 1_000
const RELOADED = 'gantry.reloaded-for'

/** Never rejects on preload: the router would replace the page by its error. */
export function lazyPage(load: () => Promise<Loaded>): (() => ReactNode) & { preload: () => Promise<void> } {
  let loaded: Loaded | undefined
  const attempt = async (): Promise<boolean> => {
    try {
      loaded ??= await load()
      return true
    } catch {
      return false
    }
  }
  function LazyPage() {
    const [ready, setReady] = useState(loaded !== undefined)
    if (ready && loaded) return createElement(loaded.Page)
    return <Outage attempt={attempt} onReady={() => setReady(true)} />
  }
  return Object.assign(LazyPage, { preload: async () => void (await attempt()) })
}

function Outage({ attempt, onReady }: { readonly attempt: () => Promise<boolean>; readonly onReady: () => void }) {
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let shown = true
    const again = async (): Promise<void> => {
      const done = await attempt()
      if (!shown) return
      if (done) return onReady()
      setFailed(true)
      await reloadIfReplaced()
      if (shown) timer = setTimeout(() => void again(), RETRY_MS)
    }
    void again()
    return () => {
      shown = false
      clearTimeout(timer)
    }
  }, [attempt, onReady])
  if (!failed) return <PageSkeleton />
  return (
    <div role="status" className="pt-[12vh]">
      <EmptyState
        heading="h1"
        icon={CloudOff}
        title={t('The gateway cannot be reached')}
        about={t('This page loads by itself as soon as the gateway answers. Unsaved changes are kept.')}
      />
    </div>
  )
}

/** The gateway answers, but no longer has this build or the browser remembers the failure: loads the document, once a build. */
async function reloadIfReplaced(): Promise<void> {
  try {
    const response = await fetch(location.href.split('#')[0] ?? '', { cache: 'no-store' })
    const build = response.ok ? await response.text() : ''
    if (build === '' || sessionStorage.getItem(RELOADED) === build) return
    sessionStorage.setItem(RELOADED, build)
    location.reload()
  } catch {
    // Still away.
  }
}
