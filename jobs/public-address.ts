import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * The networks that are not the public Internet
 * (https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry), cloud metadata's
 * 169.254.169.254 among them.
 */
const special: readonly (readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
];

const blocked = new BlockList();
for (const [network, prefix, family] of special) blocked.addSubnet(network, prefix, family);

/** Of IPv6 only 2000::/3 is given out; in it are tunnels and documentation, which lead elsewhere. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
const insideGlobal = new BlockList();
insideGlobal.addSubnet('2001::', 23, 'ipv6');
insideGlobal.addSubnet('2001:db8::', 32, 'ipv6');
insideGlobal.addSubnet('2002::', 16, 'ipv6');
insideGlobal.addSubnet('3fff::', 20, 'ipv6');

/** Whether an IP address may be called on behalf of a client. What is no address may not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blocked.check(address, 'ipv4');
  if (!isIPv6(address)) return false;
  return globalUnicast.check(address, 'ipv6') && !insideGlobal.check(address, 'ipv6');
}
