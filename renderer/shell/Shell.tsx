// The frame of every page: sign-in gate, navigation, header, shortcuts, focus.
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { mayUse } from '#contract'
import { desktopBridge } from '../api/desktop.ts'
import { goLive, useTopic } from '../api/live.ts'
import { meQuery, useActor, useSessionEnd } from '../api/session.ts'
import { t } from '../language/language.ts'
import { PAGES } from '../pages.ts'
import { Asking } from '../ui/Dialog.tsx'
import { useOverlay } from '../ui/keys/overlay.ts'
import { usePageActions } from '../ui/keys/page-actions.ts'
import { useShortcuts } from '../ui/keys/use-shortcuts.ts'
import { notifyWaiting } from '../ui/notify.ts'
import { useActions } from './actions.ts'
import { useCurrentPage } from './current-page.ts'
import { NotAllowed } from './Exceptions.tsx'
import { GatewayStopped } from './GatewayStopped.tsx'
import { GroupBar } from './GroupBar.tsx'
import { Header } from './Header.tsx'
import { KeySheet } from './KeySheet.tsx'
import { LinkAsked } from './LinkAsked.tsx'
import { Sidebar } from './Sidebar.tsx'
import { SignInAgain } from './SignInAgain.tsx'

/** Opens the page requested by the tray or a notification; main keeps it until taken, and only known pages open. */
function useLedPages(): void {
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

type Created = { readonly type: 'created'; readonly id: number; readonly client: string; readonly tool: string }

function created(data: unknown): data is Created {
  if (typeof data !== 'object' || data === null) return false
  const { type, id, client, tool } = data as Readonly<Record<string, unknown>> // looked at field by field
  return type === 'created' && typeof id === 'number' && typeof client === 'string' && typeof tool === 'string'
}

/** Shows a notice for a pending approval on every page, to users who may decide it. */
function useApprovalNotices(): void {
  const navigate = useNavigate()
  const decides = mayUse(useActor(), 'operator')
  const here = useCurrentPage()?.path
  useTopic('approvals', ({ data }) => {
    if (!decides || here === '/approvals' || !created(data)) return
    const { id, client, tool } = data
    notifyWaiting(t('A call of {client} / {tool} waits for an approval', { client, tool }), () => {
      void navigate({ to: '/approvals', search: { ticket: String(id) } })
    })
  })
}

const CommandPalette = lazy(async () => ({ default: (await import('./CommandPalette.tsx')).CommandPalette }))

/** Redirects to the sign-in without a session, and remembers the URL. */
export function Gate() {
  const { data: me } = useSuspenseQuery(meQuery)
  return me ? <Shell /> : <SignInFirst />
}

function SignInFirst() {
  const router = useRouter()
  useEffect(() => {
    // Read once: after the navigation starts, the URL is the sign-in's.
    const { href, pathname } = router.state.location
    if (pathname !== '/login') void router.navigate({ to: '/login', search: { next: href }, replace: true })
  }, [router])
  return null
}

function Shell() {
  const queries = useQueryClient()
  const actions = useActions()
  const main = useRef<HTMLElement>(null)
  useShortcuts(actions)
  const ended = useSessionEnd((session) => session.ended)
  // Connects again at once after a new sign-in.
  useEffect(() => (ended ? undefined : goLive(queries)), [queries, ended])
  useFocusOnNavigation(main)
  useApprovalNotices()
  useLedPages()
  return (
    <div className="flex h-full">
      <a
        href="#main"
        className="absolute top-2 left-2 z-70 -translate-y-16 rounded-md bg-strong px-3 py-2 text-sm text-on-strong focus:translate-y-0"
        onClick={(event) => {
          // Under app:// the fragment is the route, so the skip link moves the focus in code.
          event.preventDefault()
          main.current?.focus()
        }}
      >
        {t('Skip to content')}
      </a>
      <Sidebar />
      <div className="flex min-w-0 grow flex-col">
        <Header />
        <GatewayStopped />
        <GroupBar />
        <main ref={main} id="main" tabIndex={-1} className="min-h-0 grow overflow-y-auto bg-surface">
          <Allowed />
        </main>
      </div>
      <Overlays actions={actions} />
    </div>
  )
}

function Allowed() {
  const actor = useActor()
  const page = useCurrentPage()
  const path = useRouterState({ select: (state) => state.location.pathname })
  return <Asking place={path}>{page && !mayUse(actor, page.access) ? <NotAllowed page={page} /> : <Outlet />}</Asking>
}

function Overlays({ actions }: { readonly actions: ReturnType<typeof useActions> }) {
  const open = useOverlay((state) => state.open)
  const page = usePageActions((state) => state.actions)
  const [wanted, setWanted] = useState(false)
  if (open === 'palette' && !wanted) setWanted(true)
  return (
    <>
      {wanted && (
        <Suspense fallback={null}>
          <CommandPalette open={open === 'palette'} actions={[...page, ...actions]} />
        </Suspense>
      )}
      <KeySheet open={open === 'keys'} actions={actions} />
      <LinkAsked />
      <SignInAgain />
    </>
  )
}

/** Moves the focus to a new page; the first page keeps the browser's focus. */
function useFocusOnNavigation(main: React.RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: (state) => state.location.pathname })
  const title = useCurrentPage()?.title
  const last = useRef(path)
  useEffect(() => {
    document.title = title ? `${title} · Gantry` : 'Gantry'
    if (last.current === path) return
    last.current = path
    main.current?.focus()
  }, [path, title, main])
}
