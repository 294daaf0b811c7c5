# `node build.mjs --binary --arch armv7 --backends openbmc,flash,sysfs` builds the binary, which lies beside this file with LICENSE.
SUMMARY = "Redfish service in place of bmcweb"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE;md5=bece3e056b8310a59dd676e5deba54f4"

SRC_URI = " \
    file://LICENSE \
    file://minnow-armv7 \
    file://minnow-pam.c \
    file://minnow.service \
    file://minnow-pam.socket \
    file://minnow-pam@.service \
    file://minnow-https.socket \
    file://minnow-https@.service \
    file://minnow-boot@.service \
    file://minnow.conf \
    file://minnow.pam \
"
S = "${UNPACKDIR}"
DEPENDS = "libpam"

inherit systemd useradd

SYSTEMD_SERVICE:${PN} = "minnow.service minnow-pam.socket minnow-https.socket"
USERADD_PACKAGES = "${PN}"
USERADD_PARAM:${PN} = "--system --user-group --home-dir /var/lib/minnow --shell /sbin/nologin minnow"
RCONFLICTS:${PN} = "bmcweb"
# It is built elsewhere, static and stripped.
INSANE_SKIP:${PN} = "already-stripped ldflags"

do_compile() {
    ${CC} ${CFLAGS} ${LDFLAGS} -o minnow-pam minnow-pam.c -lpam
}

do_install() {
    install -D -m 0755 minnow-armv7 ${D}${bindir}/minnow
    install -D -m 0755 minnow-pam ${D}${libexecdir}/minnow-pam
    install -D -m 0644 minnow.conf ${D}${sysconfdir}/dbus-1/system.d/minnow.conf
    install -D -m 0644 minnow.pam ${D}${sysconfdir}/pam.d/minnow
    install -d ${D}${sysconfdir}/minnow ${D}${systemd_system_unitdir}
    install -m 0644 minnow.service minnow-pam.socket minnow-pam@.service ${D}${systemd_system_unitdir}
    install -m 0644 minnow-https.socket minnow-https@.service minnow-boot@.service ${D}${systemd_system_unitdir}
}

FILES:${PN} += "${systemd_system_unitdir}/minnow-*@.service"
