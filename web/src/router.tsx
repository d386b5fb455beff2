/** Which page is at which address, below /app; each page is loaded when it is first gone to. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import type { AccountPagePath } from '../../src/contract/page-names.ts'
import { NotFound } from './layout/NotFound.tsx'
import { PageFailed } from './layout/PageFailed.tsx'
import { Start } from './layout/Start.tsx'
import { ToOverview } from './layout/ToOverview.tsx'
import { WorkspaceLayout } from './layout/WorkspaceLayout.tsx'

const root = createRootRoute()
const start = createRoute({ getParentRoute: () => root, path: '/', component: Start })
const workspace = createRoute({ getParentRoute: () => root, path: '$slug', component: WorkspaceLayout })

const at = { getParentRoute: () => workspace } as const

const workspaceStart = createRoute({ ...at, path: '/', component: ToOverview })

const overview = createRoute({
  ...at,
  path: 'overview',
  component: lazyRouteComponent(() => import('./pages/overview/OverviewPage.tsx'), 'OverviewPage'),
})
const campaigns = createRoute({
  ...at,
  path: 'campaigns',
  component: lazyRouteComponent(() => import('./pages/campaigns/CampaignsPage.tsx'), 'CampaignsPage'),
})
const editCampaign = createRoute({
  ...at,
  path: 'campaigns/$id/edit',
  component: lazyRouteComponent(() => import('./pages/campaigns/editor/EditorPage.tsx'), 'EditorPage'),
})
const campaign = createRoute({
  ...at,
  path: 'campaigns/$id',
  component: lazyRouteComponent(() => import('./pages/campaigns/run/RunPage.tsx'), 'RunPage'),
})
const campaignRecipients = createRoute({
  ...at,
  path: 'campaigns/$id/recipients',
  component: lazyRouteComponent(() => import('./pages/campaigns/run/RecipientsPage.tsx'), 'RecipientsPage'),
})
const campaignStatistics = createRoute({
  ...at,
  path: 'campaigns/$id/statistics',
  component: lazyRouteComponent(() => import('./pages/campaigns/stats/StatisticsPage.tsx'), 'StatisticsPage'),
})
const emails = createRoute({
  ...at,
  path: 'emails',
  component: lazyRouteComponent(() => import('./pages/emails/EmailsPage.tsx'), 'EmailsPage'),
})
const email = createRoute({
  ...at,
  path: 'emails/$id',
  component: lazyRouteComponent(() => import('./pages/emails/EmailPage.tsx'), 'EmailPage'),
})
const suppression = createRoute({
  ...at,
  path: 'suppression',
  component: lazyRouteComponent(() => import('./pages/suppression/SuppressionPage.tsx'), 'SuppressionPage'),
})
const importSuppression = createRoute({
  ...at,
  path: 'suppression/import',
  component: lazyRouteComponent(() => import('./pages/suppression/ImportSuppressionPage.tsx'), 'ImportSuppressionPage'),
})
const captured = createRoute({
  ...at,
  path: 'captured',
  component: lazyRouteComponent(() => import('./pages/captured/CapturedPage.tsx'), 'CapturedPage'),
})
const capturedMail = createRoute({
  ...at,
  path: 'captured/$id',
  component: lazyRouteComponent(() => import('./pages/captured/CapturedMailPage.tsx'), 'CapturedMailPage'),
})
const webhooks = createRoute({
  ...at,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
})
const newWebhook = createRoute({
  ...at,
  path: 'webhooks/new',
  component: lazyRouteComponent(() => import('./pages/webhooks/NewWebhookPage.tsx'), 'NewWebhookPage'),
})
const webhook = createRoute({
  ...at,
  path: 'webhooks/$id',
  component: lazyRouteComponent(() => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
})
const editWebhook = createRoute({
  ...at,
  path: 'webhooks/$id/edit',
  component: lazyRouteComponent(() => import('./pages/webhooks/EditWebhookPage.tsx'), 'EditWebhookPage'),
})
const webhookDelivery = createRoute({
  ...at,
  path: 'webhooks/$id/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./pages/webhooks/DeliveryPage.tsx'), 'DeliveryPage'),
})
const event = createRoute({
  ...at,
  path: 'events/$id',
  component: lazyRouteComponent(() => import('./pages/webhooks/EventPage.tsx'), 'EventPage'),
})

const subscribers = createRoute({
  ...at,
  path: 'subscribers',
  component: lazyRouteComponent(() => import('./pages/subscribers/SubscribersPage.tsx'), 'SubscribersPage'),
})
const newSubscriber = createRoute({
  ...at,
  path: 'subscribers/new',
  component: lazyRouteComponent(() => import('./pages/subscribers/AddSubscriberPage.tsx'), 'AddSubscriberPage'),
})
const subscriberFields = createRoute({
  ...at,
  path: 'subscribers/fields',
  component: lazyRouteComponent(() => import('./pages/subscribers/FieldsPage.tsx'), 'FieldsPage'),
})
const imports = createRoute({
  ...at,
  path: 'subscribers/import',
  component: lazyRouteComponent(() => import('./pages/subscribers/ImportsPage.tsx'), 'ImportsPage'),
})
const importOfFile = createRoute({
  ...at,
  path: 'subscribers/import/$id',
  component: lazyRouteComponent(() => import('./pages/subscribers/ImportPage.tsx'), 'ImportPage'),
})
const person = createRoute({
  ...at,
  path: 'subscribers/$who',
  component: lazyRouteComponent(() => import('./pages/subscribers/ContactPage.tsx'), 'ContactPage'),
})

const keys = createRoute({
  ...at,
  path: 'settings/keys',
  component: lazyRouteComponent(() => import('./pages/settings/KeysPage.tsx'), 'KeysPage'),
})
const domains = createRoute({
  ...at,
  path: 'settings/domains',
  component: lazyRouteComponent(() => import('./pages/settings/DomainsPage.tsx'), 'DomainsPage'),
})
const domain = createRoute({
  ...at,
  path: 'settings/domains/$name',
  component: lazyRouteComponent(() => import('./pages/settings/DomainPage.tsx'), 'DomainPage'),
})
const senders = createRoute({
  ...at,
  path: 'settings/senders',
  component: lazyRouteComponent(() => import('./pages/settings/SendersPage.tsx'), 'SendersPage'),
})
const forms = createRoute({
  ...at,
  path: 'settings/forms',
  component: lazyRouteComponent(() => import('./pages/settings/FormsPage.tsx'), 'FormsPage'),
})
const newForm = createRoute({
  ...at,
  path: 'settings/forms/new',
  component: lazyRouteComponent(() => import('./pages/settings/FormPage.tsx'), 'NewFormPage'),
})
const form = createRoute({
  ...at,
  path: 'settings/forms/$id',
  component: lazyRouteComponent(() => import('./pages/settings/FormPage.tsx'), 'FormPage'),
})
const plan = createRoute({
  ...at,
  path: 'settings/plan',
  component: lazyRouteComponent(() => import('./pages/settings/PlanPage.tsx'), 'PlanPage'),
})
const tracking = createRoute({
  ...at,
  path: 'settings/tracking',
  component: lazyRouteComponent(() => import('./pages/settings/TrackingPage.tsx'), 'TrackingPage'),
})
const languages = createRoute({
  ...at,
  path: 'settings/languages',
  component: lazyRouteComponent(() => import('./pages/settings/LanguagesPage.tsx'), 'LanguagesPage'),
})
const general = createRoute({
  ...at,
  path: 'settings/general',
  component: lazyRouteComponent(() => import('./pages/settings/GeneralPage.tsx'), 'GeneralPage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in' satisfies AccountPagePath,
  component: lazyRouteComponent(() => import('./pages/users/SignInPage.tsx'), 'SignInPage'),
})
const setUp = createRoute({
  getParentRoute: () => root,
  path: 'set-up/$token' satisfies AccountPagePath,
  component: lazyRouteComponent(() => import('./pages/users/SetUpPage.tsx'), 'SetUpPage'),
})
const invitation = createRoute({
  getParentRoute: () => root,
  path: 'invitation/$token' satisfies AccountPagePath,
  component: lazyRouteComponent(() => import('./pages/users/InvitationPage.tsx'), 'InvitationPage'),
})
const askReset = createRoute({
  getParentRoute: () => root,
  path: 'reset' satisfies AccountPagePath,
  component: lazyRouteComponent(() => import('./pages/users/AskResetPage.tsx'), 'AskResetPage'),
})
const reset = createRoute({
  getParentRoute: () => root,
  path: 'reset/$token' satisfies AccountPagePath,
  component: lazyRouteComponent(() => import('./pages/users/ResetPage.tsx'), 'ResetPage'),
})
const account = createRoute({
  getParentRoute: () => root,
  path: 'account' satisfies AccountPagePath,
  component: lazyRouteComponent(() => import('./pages/users/AccountPage.tsx'), 'AccountPage'),
})
const newWorkspace = createRoute({
  getParentRoute: () => root,
  path: 'new-workspace' satisfies AccountPagePath,
  component: lazyRouteComponent(() => import('./pages/users/NewWorkspacePage.tsx'), 'NewWorkspacePage'),
})
const members = createRoute({
  ...at,
  path: 'settings/members',
  component: lazyRouteComponent(() => import('./pages/users/MembersPage.tsx'), 'MembersPage'),
})
const audit = createRoute({
  ...at,
  path: 'settings/audit',
  component: lazyRouteComponent(() => import('./pages/users/AuditPage.tsx'), 'AuditPage'),
})

/** Pages of no workspace: signing in, the account. */
const personPages = [start, signIn, setUp, invitation, askReset, reset, account, newWorkspace]
const workspacePages = [
  ...[members, audit],
  emails,
  email,
  suppression,
  importSuppression,
  captured,
  capturedMail,
  workspaceStart,
  overview,
  subscribers,
  newSubscriber,
  subscriberFields,
  imports,
  importOfFile,
  person,
  campaigns,
  editCampaign,
  webhooks,
  newWebhook,
  webhook,
  editWebhook,
  webhookDelivery,
  event,
  keys,
  domains,
  domain,
  senders,
  forms,
  newForm,
  form,
  plan,
  tracking,
  languages,
  general,
  campaign,
  campaignRecipients,
  campaignStatistics,
]

export const router = createRouter({
  routeTree: root.addChildren([...personPages, workspace.addChildren(workspacePages)]),
  basepath: '/app',
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFailed,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Filters are plain texts in the address, never JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)])).toString()
    return text && `?${text}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
