// The routes, made from the table of pages: real paths below /admin, the fragment anywhere else (app://).
import {
  createBrowserHistory,
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
} from '@tanstack/react-router'
import { SignInPage } from './admin/sign-in/SignInPage.tsx'
import { INNER_PAGES, PAGES } from './pages.ts'
import { NotFound, PageBroke } from './shell/Exceptions.tsx'
import { lazyPage } from './shell/lazy-page.tsx'
import { Gate } from './shell/Shell.tsx'
import { PageSkeleton } from './ui/Skeleton.tsx'
import { parseParams, writeParams } from './url-params.ts'

const root = createRootRoute({ component: Outlet })

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: SignInPage,
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invite/$token',
  component: lazyPage(async () => ({ Page: (await import('./admin/sign-in/InvitationPage.tsx')).InvitationPage })),
})

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Gate })

const pages = [...PAGES, ...INNER_PAGES].map((page) =>
  createRoute({ getParentRoute: () => shell, path: page.path, component: lazyPage(page.load) }),
)

const elsewhere = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound })

const WEB_HOME = '/admin'

export function makeRouter({ pathname }: Pick<Location, 'pathname'>) {
  const web = pathname === WEB_HOME || pathname.startsWith(`${WEB_HOME}/`)
  return createRouter({
    routeTree: root.addChildren([login, invitation, shell.addChildren([...pages, elsewhere])]),
    history: web ? createBrowserHistory() : createHashHistory(),
    basepath: web ? WEB_HOME : '/',
    parseSearch: parseParams,
    stringifySearch: writeParams,
    defaultPreload: 'intent',
    defaultPendingMs: 150,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: PageBroke,
    defaultNotFoundComponent: NotFound,
  })
}
