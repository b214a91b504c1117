// Every page of the product. Navigation, routes, the palette, titles and go-to keys are this table.
import {
  Boxes,
  Cable,
  Fingerprint,
  FolderSync,
  Gauge,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Network,
  Plug,
  Radio,
  Scale,
  ScrollText,
  Server,
  ShieldQuestion,
  SlidersHorizontal,
  Unplug,
  UserRound,
  Users,
  Waypoints,
  Workflow,
  Wrench,
} from 'lucide-react'
import type { ComponentType } from 'react'
import type { Access } from '#contract'

export const SECTIONS = ['Operate', 'Build', 'Access', 'Observe', 'System'] as const

export type PageRow = {
  readonly path: `/${string}`
  readonly title: string
  readonly about: string
  readonly icon: LucideIcon
  readonly section: (typeof SECTIONS)[number]
  /** The least role that sees it. */
  readonly access: Exclude<Access, 'public'>
  /** Pressed after `g`. */
  readonly goTo: string
  readonly load: () => Promise<{ readonly Page: ComponentType }>
}

export const PAGES: readonly PageRow[] = [
  {
    path: '/',
    title: 'Overview',
    about: 'The state of the gateway at a glance',
    icon: LayoutDashboard,
    section: 'Operate',
    access: 'viewer',
    goTo: 'o',
    load: async () => ({ Page: (await import('./admin/overview/OverviewPage.tsx')).OverviewPage }),
  },
  {
    path: '/backends',
    title: 'Backends',
    about: 'The APIs and servers whose tools are offered here',
    icon: Server,
    section: 'Operate',
    access: 'viewer',
    goTo: 'b',
    load: async () => ({ Page: (await import('./admin/backends/BackendsPage.tsx')).BackendsPage }),
  },
  {
    path: '/tools',
    title: 'Tools',
    about: 'Every tool of every backend, found and configured',
    icon: Wrench,
    section: 'Operate',
    access: 'viewer',
    goTo: 't',
    load: async () => ({ Page: (await import('./admin/tools/ToolsPage.tsx')).ToolsPage }),
  },
  {
    path: '/websockets',
    title: 'WebSockets',
    about: 'Servers that speak over WebSockets, and who is connected to them',
    icon: Unplug,
    section: 'Operate',
    access: 'viewer',
    goTo: 'h',
    load: async () => ({ Page: (await import('./admin/websockets/WebSocketsPage.tsx')).WebSocketsPage }),
  },
  {
    path: '/approvals',
    title: 'Approvals',
    about: 'Calls that wait for a person',
    icon: ShieldQuestion,
    section: 'Operate',
    access: 'viewer',
    goTo: 'w',
    load: async () => ({ Page: (await import('./admin/approvals/ApprovalsPage.tsx')).ApprovalsPage }),
  },
  {
    path: '/bundles',
    title: 'Bundles',
    about: 'What each client gets to see, as one list',
    icon: Boxes,
    section: 'Build',
    access: 'viewer',
    goTo: 'd',
    load: async () => ({ Page: (await import('./admin/bundles/BundlesPage.tsx')).BundlesPage }),
  },
  {
    path: '/composites',
    title: 'Composites',
    about: 'Several tools in order, callable as one',
    icon: Workflow,
    section: 'Build',
    access: 'viewer',
    goTo: 'f',
    load: async () => ({ Page: (await import('./admin/composites/CompositesPage.tsx')).CompositesPage }),
  },
  {
    path: '/pcg',
    title: 'PCG studio',
    about: 'Graphs of procedural content, edited by hand and by agents',
    icon: Waypoints,
    section: 'Build',
    access: 'operator',
    goTo: 'v',
    load: async () => ({ Page: (await import('./studio/StudioPage.tsx')).StudioPage }),
  },
  {
    path: '/connect',
    title: 'Connect',
    about: 'What to paste into each client',
    icon: Plug,
    section: 'Build',
    access: 'viewer',
    goTo: 'c',
    load: async () => ({ Page: (await import('./admin/connect/ConnectPage.tsx')).ConnectPage }),
  },
  {
    path: '/keys',
    title: 'Keys',
    about: 'Who may call tools, and which',
    icon: KeyRound,
    section: 'Access',
    access: 'viewer',
    goTo: 'k',
    load: async () => ({ Page: (await import('./admin/keys/KeysPage.tsx')).KeysPage }),
  },
  {
    path: '/consumers',
    title: 'Consumers',
    about: 'Whose quota the calls of a key count for',
    icon: Gauge,
    section: 'Access',
    access: 'viewer',
    goTo: 'q',
    load: async () => ({ Page: (await import('./admin/consumers/ConsumersPage.tsx')).ConsumersPage }),
  },
  {
    path: '/policies',
    title: 'Policies',
    about: 'Limits under a name, applied to many tools',
    icon: Scale,
    section: 'Access',
    access: 'viewer',
    goTo: 'i',
    load: async () => ({ Page: (await import('./admin/policies/PoliciesPage.tsx')).PoliciesPage }),
  },
  {
    path: '/teams',
    title: 'Teams',
    about: 'Who shares which records',
    icon: Network,
    section: 'Access',
    access: 'viewer',
    goTo: 'm',
    load: async () => ({ Page: (await import('./admin/teams/TeamsPage.tsx')).TeamsPage }),
  },
  {
    path: '/users',
    title: 'Users',
    about: 'Who may sign in here, and as what',
    icon: Users,
    section: 'Access',
    access: 'superadmin',
    goTo: 'u',
    load: async () => ({ Page: (await import('./admin/users/UsersPage.tsx')).UsersPage }),
  },
  {
    path: '/single-sign-on',
    title: 'Single sign-on',
    about: 'Sign in with the account of an identity provider',
    icon: Fingerprint,
    section: 'Access',
    access: 'superadmin',
    goTo: 'n',
    load: async () => ({ Page: (await import('./admin/single-sign-on/SingleSignOnPage.tsx')).SingleSignOnPage }),
  },
  {
    path: '/calls',
    title: 'Live calls',
    about: 'Every tool call as it ends',
    icon: Radio,
    section: 'Observe',
    access: 'operator',
    goTo: 'l',
    load: async () => ({ Page: (await import('./admin/calls/CallsPage.tsx')).CallsPage }),
  },
  {
    path: '/mcp-sessions',
    title: 'MCP sessions',
    about: 'Who is connected now, and the end of it',
    icon: Cable,
    section: 'Observe',
    access: 'operator',
    goTo: 'e',
    load: async () => ({ Page: (await import('./admin/mcp-sessions/McpSessionsPage.tsx')).McpSessionsPage }),
  },
  {
    path: '/audit-log',
    title: 'Audit log',
    about: 'Every change, chained so that tampering shows',
    icon: ScrollText,
    section: 'Observe',
    access: 'viewer',
    goTo: 'a',
    load: async () => ({ Page: (await import('./admin/audit-log/AuditLogPage.tsx')).AuditLogPage }),
  },
  {
    path: '/settings',
    title: 'Settings',
    about: 'The effective configuration and its weak points',
    icon: SlidersHorizontal,
    section: 'System',
    access: 'auditor',
    goTo: 's',
    load: async () => ({ Page: (await import('./admin/settings/SettingsPage.tsx')).SettingsPage }),
  },
  {
    path: '/export',
    title: 'Export',
    about: 'The configuration to a server, in again, and back to how it was',
    icon: FolderSync,
    section: 'System',
    access: 'superadmin',
    goTo: 'x',
    load: async () => ({ Page: (await import('./admin/export/ExportPage.tsx')).ExportPage }),
  },
  {
    path: '/account',
    title: 'Account',
    about: 'Your password and your sessions',
    icon: UserRound,
    section: 'System',
    access: 'self',
    goTo: 'p',
    load: async () => ({ Page: (await import('./admin/account/AccountPage.tsx')).AccountPage }),
  },
]

/** A page that is reached from another and shares its place in the sidebar. */
export type InnerRow = {
  readonly path: `/${string}`
  readonly of: PageRow['path']
  readonly access: PageRow['access']
  readonly load: PageRow['load']
}

export const INNER_PAGES: readonly InnerRow[] = [
  {
    path: '/approvals/$id',
    of: '/approvals',
    access: 'viewer',
    load: async () => ({ Page: (await import('./admin/approvals/TicketLink.tsx')).TicketLink }),
  },
  {
    path: '/add-composite',
    of: '/composites',
    access: 'admin',
    load: async () => ({ Page: (await import('./admin/composites/AddCompositePage.tsx')).AddCompositePage }),
  },
  {
    path: '/composites/$name',
    of: '/composites',
    access: 'viewer',
    load: async () => ({ Page: (await import('./admin/composites/CompositePage.tsx')).CompositePage }),
  },
  {
    path: '/consumers/$id',
    of: '/consumers',
    access: 'viewer',
    load: async () => ({ Page: (await import('./admin/consumers/ConsumerPage.tsx')).ConsumerPage }),
  },
  {
    path: '/policies/$id',
    of: '/policies',
    access: 'viewer',
    load: async () => ({ Page: (await import('./admin/policies/PolicyPage.tsx')).PolicyPage }),
  },
  {
    path: '/teams/$id',
    of: '/teams',
    access: 'viewer',
    load: async () => ({ Page: (await import('./admin/teams/TeamPage.tsx')).TeamPage }),
  },
  {
    path: '/bundles/$name',
    of: '/bundles',
    access: 'viewer',
    load: async () => ({ Page: (await import('./admin/bundles/BundlePage.tsx')).BundlePage }),
  },
  {
    path: '/add-backend',
    of: '/backends',
    access: 'operator',
    load: async () => ({ Page: (await import('./admin/add-backend/AddBackendPage.tsx')).AddBackendPage }),
  },
  {
    path: '/backends/$name',
    of: '/backends',
    access: 'viewer',
    load: async () => ({ Page: (await import('./admin/backends/BackendPage.tsx')).BackendPage }),
  },
  {
    path: '/tools/$client/$tool',
    of: '/tools',
    access: 'viewer',
    load: async () => ({ Page: (await import('./admin/tools/ToolPage.tsx')).ToolPage }),
  },
]
