import {me, organization, permissions, roles} from '../api/account.ts';
import {dashboard} from '../api/dashboard.ts';
import type {AuthenticatedUser, Organization} from '../domain/account.ts';
import type {Dashboard} from '../domain/dashboard.ts';
import type {Permission, Role} from '../domain/permission.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {type Feed, type Listing, listFeed, oneFeed} from './feed.ts';

export const meFeed: Feed<AuthenticatedUser> = oneFeed('me', 10 * MINUTE_MS, me, {});
export const organizationFeed: Feed<Organization> = oneFeed('organization', 10 * MINUTE_MS, organization, {});
export const permissionsFeed: Feed<Listing<Permission>> = listFeed('permissions', 10 * MINUTE_MS, permissions, {});
export const rolesFeed: Feed<Listing<Role>> = listFeed('roles', 10 * MINUTE_MS, roles, {});
export const dashboardFeed: Feed<Dashboard> = oneFeed('dashboard', MINUTE_MS, dashboard, {});
