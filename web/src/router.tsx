/**
 * The routes map each address below /app to its page, which the browser loads on the first request
 * for it.
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { AccountPagePath } from '../../src/contract/page-names.ts'
import { NotFound, PageFailed } from './parts/NotFound.tsx'
import { Start, ToOverview } from './layout/Start.tsx'
import { WorkspaceLayout } from './layout/WorkspaceLayout.tsx'
import { readCampaignsView } from './pages/campaigns/view.ts'
import { readEmailsView } from './pages/emails/view.ts'
import { readSubscribersView } from './pages/subscribers/view.ts'

const root = createRootRoute()
const workspace = createRoute({
  getParentRoute: () => root,
  path: '$slug',
  component: WorkspaceLayout,
})

/** A page of a workspace; its file exports it as `name`. */
const page = <Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module,
) =>
  createRoute({ getParentRoute: () => workspace, path, component: lazyRouteComponent(load, name) })

const formerResults = 'campaigns/$id/statistics'
/** Leads from the former address of a campaign's results to the present one. */
const toResults = createRoute({
  getParentRoute: () => workspace,
  path: formerResults,
  beforeLoad: ({ params }) => {
    redirect({ to: '/$slug/campaigns/$id/results', params, replace: true, throw: true })
  },
})

/** A page outside of workspaces: the sign-in, the account. */
const accountPage = <Path extends AccountPagePath, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module,
) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name) })

const workspacePages = [
  createRoute({ getParentRoute: () => workspace, path: '/', component: ToOverview }),
  page('overview', () => import('./pages/overview/OverviewPage.tsx'), 'OverviewPage'),
  createRoute({
    getParentRoute: () => workspace,
    path: 'campaigns',
    validateSearch: readCampaignsView,
    component: lazyRouteComponent(
      () => import('./pages/campaigns/CampaignsPage.tsx'),
      'CampaignsPage',
    ),
  }),
  page('campaigns/$id/edit', () => import('./pages/campaigns/editor/EditorPage.tsx'), 'EditorPage'),
  page('campaigns/$id', () => import('./pages/campaigns/run/RunPage.tsx'), 'RunPage'),
  page(
    'campaigns/$id/recipients',
    () => import('./pages/campaigns/run/RecipientsPage.tsx'),
    'RecipientsPage',
  ),
  page(
    'campaigns/$id/results',
    () => import('./pages/campaigns/stats/ResultsPage.tsx'),
    'ResultsPage',
  ),
  page(
    'campaigns/$id/delivery',
    () => import('./pages/campaigns/run/CampaignDeliveryPage.tsx'),
    'CampaignDeliveryPage',
  ),
  toResults,
  createRoute({
    getParentRoute: () => workspace,
    path: 'emails',
    validateSearch: readEmailsView,
    component: lazyRouteComponent(() => import('./pages/emails/EmailsPage.tsx'), 'EmailsPage'),
  }),
  page('emails/new', () => import('./pages/emails/ComposePage.tsx'), 'ComposePage'),
  page('emails/$id', () => import('./pages/emails/EmailPage.tsx'), 'EmailPage'),
  page('suppression', () => import('./pages/suppression/SuppressionPage.tsx'), 'SuppressionPage'),
  page(
    'suppression/import',
    () => import('./pages/suppression/ImportSuppressionPage.tsx'),
    'ImportSuppressionPage',
  ),
  page('captured/{-$id}', () => import('./pages/captured/CapturedPage.tsx'), 'CapturedPage'),
  page('webhooks', () => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
  page('webhooks/new', () => import('./pages/webhooks/NewWebhookPage.tsx'), 'NewWebhookPage'),
  page('webhooks/$id', () => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
  page(
    'webhooks/$id/edit',
    () => import('./pages/webhooks/EditWebhookPage.tsx'),
    'EditWebhookPage',
  ),
  page(
    'webhooks/$id/deliveries/$deliveryId',
    () => import('./pages/webhooks/DeliveryPage.tsx'),
    'DeliveryPage',
  ),
  page('events/$id', () => import('./pages/webhooks/EventPage.tsx'), 'EventPage'),
  createRoute({
    getParentRoute: () => workspace,
    path: 'subscribers',
    validateSearch: readSubscribersView,
    component: lazyRouteComponent(
      () => import('./pages/subscribers/SubscribersPage.tsx'),
      'SubscribersPage',
    ),
  }),
  page(
    'subscribers/new',
    () => import('./pages/subscribers/AddSubscriberPage.tsx'),
    'AddSubscriberPage',
  ),
  page('subscribers/fields', () => import('./pages/subscribers/FieldsPage.tsx'), 'FieldsPage'),
  page('subscribers/topics', () => import('./pages/subscribers/TopicsPage.tsx'), 'TopicsPage'),
  page('subscribers/import', () => import('./pages/subscribers/ImportsPage.tsx'), 'ImportsPage'),
  page('subscribers/import/$id', () => import('./pages/subscribers/ImportPage.tsx'), 'ImportPage'),
  page('segments', () => import('./pages/segments/SegmentsPage.tsx'), 'SegmentsPage'),
  page('segments/new', () => import('./pages/segments/SegmentPage.tsx'), 'NewSegmentPage'),
  page('segments/$id', () => import('./pages/segments/SegmentPage.tsx'), 'SegmentPage'),
  page('subscribers/$who', () => import('./pages/subscribers/ContactPage.tsx'), 'ContactPage'),
  page('settings', () => import('./layout/SettingsFrame.tsx'), 'SettingsPage'),
  page('settings/keys', () => import('./pages/settings/KeysPage.tsx'), 'KeysPage'),
  page('settings/requests', () => import('./pages/requests/RequestsPage.tsx'), 'RequestsPage'),
  page('settings/requests/$id', () => import('./pages/requests/RequestPage.tsx'), 'RequestPage'),
  page('settings/domains', () => import('./pages/settings/DomainsPage.tsx'), 'DomainsPage'),
  page('settings/domains/$name', () => import('./pages/settings/DomainPage.tsx'), 'DomainPage'),
  page('settings/senders', () => import('./pages/settings/SendersPage.tsx'), 'SendersPage'),
  page('settings/forms', () => import('./pages/settings/FormsPage.tsx'), 'FormsPage'),
  page('settings/forms/new', () => import('./pages/settings/FormPage.tsx'), 'NewFormPage'),
  page('settings/forms/$id', () => import('./pages/settings/FormPage.tsx'), 'FormPage'),
  page('settings/plan', () => import('./pages/settings/PlanPage.tsx'), 'PlanPage'),
  page('settings/tracking', () => import('./pages/settings/TrackingPage.tsx'), 'TrackingPage'),
  page('settings/retention', () => import('./pages/settings/RetentionPage.tsx'), 'RetentionPage'),
  page('settings/languages', () => import('./pages/settings/LanguagesPage.tsx'), 'LanguagesPage'),
  page('settings/general', () => import('./pages/settings/GeneralPage.tsx'), 'GeneralPage'),
  page('settings/members', () => import('./pages/users/MembersPage.tsx'), 'MembersPage'),
  page(
    'settings/installation',
    () => import('./pages/installation/InstallationPage.tsx'),
    'InstallationPage',
  ),
  page('settings/audit', () => import('./pages/users/AuditPage.tsx'), 'AuditPage'),
] as const

const accountPages = [
  createRoute({ getParentRoute: () => root, path: '/', component: Start }),
  accountPage('sign-in', () => import('./pages/users/SignInPage.tsx'), 'SignInPage'),
  accountPage('set-up/$token', () => import('./pages/users/SetUpPage.tsx'), 'SetUpPage'),
  accountPage(
    'invitation/$token',
    () => import('./pages/users/InvitationPage.tsx'),
    'InvitationPage',
  ),
  accountPage('reset', () => import('./pages/users/AskResetPage.tsx'), 'AskResetPage'),
  accountPage('reset/$token', () => import('./pages/users/ResetPage.tsx'), 'ResetPage'),
  accountPage('account', () => import('./pages/users/AccountPage.tsx'), 'AccountPage'),
  accountPage(
    'new-workspace',
    () => import('./pages/users/NewWorkspacePage.tsx'),
    'NewWorkspacePage',
  ),
] as const

/** No workspace's address can be the operator's. */
const operatorPath = '-/captured/{-$workspace}/{-$id}'
const operatorPage = createRoute({
  getParentRoute: () => root,
  path: operatorPath,
  component: lazyRouteComponent(() => import('./pages/captured/OperatorPage.tsx'), 'OperatorPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    ...accountPages,
    operatorPage,
    workspace.addChildren(workspacePages),
  ]),
  basepath: '/app',
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFailed,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Filters are plain texts in the address, never JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(
      Object.entries(search)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    ).toString()
    return text && `?${text}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
